public import MusicalTime

/// A copy of a Link session's timeline and start/stop state.
///
/// The timeline maps times to beats. It never stands still: beats pass while the transport is stopped, too.
/// The start/stop state is whether the transport should play, and since when.
///
/// Changes are the copy's own until it is committed: to the ``Link`` for ``AppThread``, to the
/// ``AudioThreadAccess`` for ``AudioThread``. Use a copy at once and throw it away.
///
/// Thread-safe: as a value is. Realtime-safe: yes, all of it; it may be called from functions marked
/// `@_noLocks`. Times are host times *at output*: when the sound is heard, not when it is computed.
public struct SessionState<Role: ThreadRole>: BitwiseCopyable, Sendable {
  @usableFromInline var storage: SessionStateStorage

  init(storage: SessionStateStorage) { self.storage = storage }

  /// The tempo of the session, as it is shown to people.
  ///
  /// Beats may pass a few parts per million faster or slower, where the clocks of other peers' computers do.
  ///
  /// The corresponding Link function is `tempo`.
  @inlinable public var tempo: Tempo { Tempo(clamping: storage.tempo()) ?? .standard }

  /// Sets the tempo, turning the timeline around `time`: the beat at that time stays the same.
  ///
  /// `time` is an anchor, not a schedule. The tempo holds for all times as soon as the state is committed.
  /// Peers get it rounded to whole microseconds per beat.
  ///
  /// The corresponding Link function is `setTempo`.
  @inlinable
  public mutating func setTempo(_ tempo: Tempo, at time: HostTime<LinkClock>) {
    storage.setTempo(tempo.beatsPerMinute, at: time.microseconds)
  }

  /// The beat at `time`.
  ///
  /// The number is this peer's own; its phase in `quantum` is the same for all peers. Link answers in whole
  /// microbeats for whole microseconds; the part of a microsecond is added at the session's ``tempo``.
  ///
  /// The corresponding Link function is `beatAtTime`.
  @inlinable @inline(__always)
  public func beat(at time: HostTime<LinkClock>, quantum: Quantum) -> BeatTime {
    BeatTime(clamping: storage.beat(at: time.microseconds, quantum: quantum.doubleValue))
      + tempo.beats(in: time.sinceMicrosecond)
  }

  /// How far the session is into its `quantum` at `time`. It is never negative, before beat zero too.
  ///
  /// The corresponding Link function is `phaseAtTime`.
  @inlinable
  public func phase(at time: HostTime<LinkClock>, quantum: Quantum) -> Phase {
    let phase = BeatTime(clamping: storage.phase(at: time.microseconds, quantum: quantum.doubleValue))
    return (phase + tempo.beats(in: time.sinceMicrosecond)).phase(in: quantum)
  }

  /// When `beat` is, was or will be, as long as the tempo stays.
  ///
  /// The inverse of ``beat(at:quantum:)``, to within a microbeat.
  ///
  /// The corresponding Link function is `timeAtBeat`.
  @inlinable
  public func time(atBeat beat: BeatTime, quantum: Quantum) -> HostTime<LinkClock> {
    let microseconds = storage.microseconds(atBeat: beat.doubleValue, quantum: quantum.doubleValue)
    let time = HostTime<LinkClock>(microseconds: microseconds)
    let rest = beat - self.beat(at: time, quantum: quantum)
    // Link's rounding is microseconds and microbeats. More is a jump of the beat numbers by a quantum, which
    // they make for a quantum they do not count from.
    guard rest.magnitude.nanobeats < 100_000 else { return time }
    return time + tempo.interval(of: rest)
  }

  /// Asks for `beat` at `time`: alone in the session at that time, else at the next time whose phase fits.
  ///
  /// This is how a launch is quantised: alone it happens at once, with others it waits for them. Until then
  /// the beat is below `beat`. The beat of the other peers never changes. The time counts in whole
  /// microseconds, rounded down.
  ///
  /// The corresponding Link function is `requestBeatAtTime`.
  @inlinable
  public mutating func requestBeat(_ beat: BeatTime, at time: HostTime<LinkClock>, quantum: Quantum) {
    storage.requestBeat(beat.doubleValue, at: time.microseconds, quantum: quantum.doubleValue)
  }

  /// Makes it `beat` at `time` for the whole session, moving the beat of every peer.
  ///
  /// - Warning: This disturbs all peers that play. Its one good use is to bring an external clock into a
  ///   session that is meant to follow it. The time counts in whole microseconds, rounded down.
  ///
  /// The corresponding Link function is `forceBeatAtTime`.
  @inlinable
  public mutating func forceBeat(_ beat: BeatTime, at time: HostTime<LinkClock>, quantum: Quantum) {
    storage.forceBeat(beat.doubleValue, at: time.microseconds, quantum: quantum.doubleValue)
  }

  /// Whether the transport plays, or will at ``timeForIsPlaying``.
  ///
  /// The corresponding Link function is `isPlaying`.
  @inlinable public var isPlaying: Bool { storage.isPlaying() }

  /// The time at which the transport starts or stops, or did.
  ///
  /// The corresponding Link function is `timeForIsPlaying`.
  @inlinable public var timeForIsPlaying: HostTime<LinkClock> {
    HostTime(microseconds: storage.microsecondsForIsPlaying())
  }

  /// The beat of ``timeForIsPlaying``, as the session counts it: it distinguishes one start or stop from
  /// another.
  ///
  /// Link keeps this, and not the time, when the tempo changes, and when it has measured anew how the clocks
  /// of the peers go together. It is the same but for a few microbeats, and begins again after 2^20 beats.
  ///
  /// The corresponding Link functions are `phaseAtTime` and `timeForIsPlaying`.
  @inlinable public var beatForIsPlaying: BeatTime {
    BeatTime(clamping: storage.beatForIsPlaying())
  }

  /// Starts or stops the transport at `time`. Other peers follow if they and this one share starts and stops,
  /// see ``Link/setStartStopSyncEnabled(_:)``.
  ///
  /// The corresponding Link function is `setIsPlaying`.
  @inlinable
  public mutating func setIsPlaying(_ isPlaying: Bool, at time: HostTime<LinkClock>) {
    storage.setIsPlaying(isPlaying, at: time.microseconds)
  }

  /// Asks for `beat` at ``timeForIsPlaying``, as ``requestBeat(_:at:quantum:)`` does. Stopped, it does
  /// nothing.
  ///
  /// Call it when another peer has started the transport, to begin with it in phase.
  ///
  /// The corresponding Link function is `requestBeatAtStartPlayingTime`.
  @inlinable
  public mutating func requestBeatAtStartPlayingTime(_ beat: BeatTime, quantum: Quantum) {
    storage.requestBeatAtStartPlayingTime(beat.doubleValue, quantum: quantum.doubleValue)
  }

  /// Starts or stops the transport at `time`, and asks for `beat` at that time if it starts.
  ///
  /// The corresponding Link function is `setIsPlayingAndRequestBeatAtTime`.
  @inlinable
  public mutating func setIsPlaying(
    _ isPlaying: Bool, at time: HostTime<LinkClock>, requestingBeat beat: BeatTime, quantum: Quantum
  ) {
    storage.setIsPlaying(
      isPlaying, at: time.microseconds, requestingBeat: beat.doubleValue, quantum: quantum.doubleValue)
  }
}

extension SessionState where Role == AudioThread {
  // Not generic, so that the real-time checks see through it in a debug build of this module, too.
  @usableFromInline @_noLocks
  init(captured storage: SessionStateStorage) { self.storage = storage }

  /// The state's tempo, its beat at `time`, and whether it plays.
  @_noLocks
  public func reading(at time: HostTime<LinkClock>, quantum: Quantum) -> SessionReading {
    let tempo = Tempo(clamping: storage.tempo()) ?? .standard
    let beat = BeatTime(clamping: storage.beat(at: time.microseconds, quantum: quantum.doubleValue))
    return SessionReading(
      tempo: tempo, beat: beat + tempo.beats(in: time.sinceMicrosecond), isPlaying: storage.isPlaying(),
      timeForIsPlaying: HostTime(microseconds: storage.microsecondsForIsPlaying()),
      beatForIsPlaying: BeatTime(clamping: storage.beatForIsPlaying()))
  }
}
