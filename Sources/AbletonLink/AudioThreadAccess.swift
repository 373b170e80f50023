public import MusicalTime

/// The calls that the one audio thread of a ``Link`` may make.
///
/// A plain value that counts no references. It is good for as long as its ``Link`` lives: keep the ``Link``
/// at least until the audio thread has stopped. All of it may be called from functions marked `@_noLocks`.
///
/// Thread-safe: no. One thread at a time may use it; that thread may change, for example when the audio
/// server restarts.
public struct AudioThreadAccess: Sendable {
  @usableFromInline let instance: LinkInstance

  init(instance: LinkInstance) { self.instance = instance }

  /// The time now, in whole microseconds of Link's clock.
  ///
  /// Realtime-safe: yes. The corresponding Link function is `clock().micros()`.
  @inlinable @_noLocks
  public func now() -> HostTime<LinkClock> { instance.now() }

  /// Whether this peer takes part in a session by now: joining takes ``Link/settlingTime``.
  ///
  /// Realtime-safe: yes. The corresponding Link function is `isEnabled`.
  @inlinable public var isEnabled: Bool { instance.isEnabled() }

  /// How many other peers are in the session.
  ///
  /// Realtime-safe: yes. The corresponding Link function is `numPeers`.
  @inlinable public var numberOfPeers: Int { instance.numberOfPeers() }

  /// Copies the state of the session as the audio thread sees it.
  ///
  /// Never waits: while another thread changes the state, this is the last copy that could be had. For one
  /// second after a ``commit(_:)`` that changed something, changes from the network do not show.
  ///
  /// Realtime-safe: yes. The corresponding Link function is `captureAudioSessionState`.
  @inlinable @_noLocks
  public func captureSessionState() -> SessionState<AudioThread> {
    SessionState(captured: instance.captureAudioSessionState())
  }

  /// Copies the state of the session as the audio thread sees it to where an older copy was, and returns its
  /// tempo, its beat at `time`, and whether it plays.
  ///
  /// The same as ``captureSessionState()``, ``SessionState/tempo``, ``SessionState/beat(at:quantum:)`` and so
  /// on, which is what most callbacks begin with, in a third of the time: a state is large, and each of them
  /// moves all of it.
  ///
  /// Realtime-safe: yes. The corresponding Link functions are `captureAudioSessionState`, `tempo`,
  /// `beatAtTime`, `isPlaying` and `timeForIsPlaying`.
  @inlinable @_noLocks
  public func captureSessionState(
    into state: inout SessionState<AudioThread>, at time: HostTime<LinkClock>, quantum: Quantum
  ) -> SessionReading {
    var reading = instance.captureAudioSessionState(
      into: &state.storage, at: time.microseconds, quantum: quantum.doubleValue)
    reading.beat = reading.beat + reading.tempo.beats(in: time.sinceMicrosecond)
    return reading
  }

  /// Commits the changes of `state` since it was captured to the session.
  ///
  /// This thread sees it at once; other threads and peers shortly after, mostly within a millisecond plus the
  /// network's latency, at the latest after half a second. A state without changes costs nothing. Commit only
  /// a state that was captured in the same cycle: a change of beats or tempo carries the whole timeline, and
  /// an old one would undo later changes of others.
  ///
  /// Realtime-safe: yes, though a change wakes a thread of Link's. The corresponding Link function is
  /// `commitAudioSessionState`.
  @inlinable @_noLocks
  public func commit(_ state: SessionState<AudioThread>) { instance.commitAudioSessionState(state.storage) }
}
