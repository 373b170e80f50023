internal import CAbletonLink
import MusicalTime

// Every call into C is in this file. Functions for the audio thread are marked `@_noLocks` here, because the
// checks of other modules stop at a function that is not inlinable and trust its mark.

/// Link's code, which is compiled in.
enum LinkCode {
  static var release: String { String(cString: link_release()) }
}

/// A pointer to Link's own object. A plain value: using it counts no references.
@usableFromInline
struct LinkInstance: @unchecked Sendable {
  // Link documents which of its methods are thread-safe; those that are not need an `AudioThreadAccess`.
  private let pointer: OpaquePointer

  init(tempo: Tempo, listener: Unmanaged<LinkListeners>) throws(LinkError) {
    let callbacks = link_callbacks(
      context: listener.toOpaque(),
      peer_count_changed: { LinkInstance.listeners($0)?.peerCount.send(Int(clamping: $1)) },
      tempo_changed: { context, tempo in
        guard let tempo = Tempo(clamping: tempo) else { return }
        LinkInstance.listeners(context)?.tempo.send(tempo)
      },
      is_playing_changed: { LinkInstance.listeners($0)?.isPlaying.send($1) })
    var message = [CChar](repeating: 0, count: 256)
    guard let pointer = link_create(tempo.beatsPerMinute, callbacks, &message, message.count) else {
      let text = message.prefix { $0 != 0 }.map(UInt8.init(bitPattern:))
      throw .cannotStart(reason: String(decoding: text, as: UTF8.self))
    }
    self.pointer = pointer
  }

  private static func listeners(_ context: UnsafeMutableRawPointer?) -> LinkListeners? {
    context.map { Unmanaged<LinkListeners>.fromOpaque($0).takeUnretainedValue() }
  }

  func destroy() { link_destroy(pointer) }

  func enable(_ enable: Bool) { link_enable(pointer, enable) }

  var isStartStopSyncEnabled: Bool { link_is_start_stop_sync_enabled(pointer) }

  func enableStartStopSync(_ enable: Bool) { link_enable_start_stop_sync(pointer, enable) }

  @usableFromInline @_noLocks
  func isEnabled() -> Bool { link_is_enabled(pointer) }

  @usableFromInline @_noLocks
  func numberOfPeers() -> Int { Int(truncatingIfNeeded: link_num_peers(pointer)) }

  @usableFromInline @_noLocks
  func now() -> HostTime<LinkClock> { HostTime(microseconds: link_now(pointer)) }

  func captureAppSessionState() -> SessionStateStorage {
    var storage = SessionStateStorage()
    link_capture_app_session_state(pointer, &storage.state)
    return storage
  }

  func commitAppSessionState(_ storage: SessionStateStorage) {
    withUnsafePointer(to: storage.state) { link_commit_app_session_state(pointer, $0) }
  }

  @usableFromInline @_noLocks
  func captureAudioSessionState() -> SessionStateStorage {
    var storage = SessionStateStorage()
    link_capture_audio_session_state(pointer, &storage.state)
    return storage
  }

  @usableFromInline @_noLocks
  func captureAudioSessionState(
    into storage: inout SessionStateStorage, at microseconds: Int64, quantum: Double
  ) -> SessionReading {
    let reading = link_capture_audio_session_state_and_read(pointer, &storage.state, microseconds, quantum)
    return SessionReading(
      tempo: Tempo(clamping: reading.tempo) ?? .standard, beat: BeatTime(clamping: reading.beat),
      isPlaying: reading.is_playing,
      timeForIsPlaying: HostTime(microseconds: reading.time_for_is_playing),
      beatForIsPlaying: BeatTime(clamping: reading.beat_for_is_playing))
  }

  @usableFromInline @_noLocks
  func commitAudioSessionState(_ storage: SessionStateStorage) {
    var storage = storage
    link_commit_audio_session_state(pointer, &storage.state)
  }
}

/// The bytes of a session state, and Link's methods on them in Link's units.
@usableFromInline
struct SessionStateStorage: BitwiseCopyable, Sendable {
  fileprivate var state: link_session_state

  @_noLocks
  fileprivate init() { state = link_session_state() }

  @usableFromInline @_noLocks
  func tempo() -> Double {
    withUnsafePointer(to: state) { link_tempo($0) }
  }

  @usableFromInline @_noLocks
  mutating func setTempo(_ tempo: Double, at microseconds: Int64) {
    link_set_tempo(&state, tempo, microseconds)
  }

  @usableFromInline @_noLocks
  func beat(at microseconds: Int64, quantum: Double) -> Double {
    withUnsafePointer(to: state) { link_beat_at_time($0, microseconds, quantum) }
  }

  @usableFromInline @_noLocks
  func phase(at microseconds: Int64, quantum: Double) -> Double {
    withUnsafePointer(to: state) { link_phase_at_time($0, microseconds, quantum) }
  }

  @usableFromInline @_noLocks
  func microseconds(atBeat beat: Double, quantum: Double) -> Int64 {
    var state = state
    return link_time_at_beat(&state, beat, quantum)
  }

  @usableFromInline @_noLocks
  mutating func requestBeat(_ beat: Double, at microseconds: Int64, quantum: Double) {
    link_request_beat_at_time(&state, beat, microseconds, quantum)
  }

  @usableFromInline @_noLocks
  mutating func forceBeat(_ beat: Double, at microseconds: Int64, quantum: Double) {
    link_force_beat_at_time(&state, beat, microseconds, quantum)
  }

  @usableFromInline @_noLocks
  func isPlaying() -> Bool {
    withUnsafePointer(to: state) { link_is_playing($0) }
  }

  @usableFromInline @_noLocks
  func microsecondsForIsPlaying() -> Int64 {
    withUnsafePointer(to: state) { link_time_for_is_playing($0) }
  }

  @usableFromInline @_noLocks
  func beatForIsPlaying() -> Double {
    withUnsafePointer(to: state) { link_beat_for_is_playing($0) }
  }

  @usableFromInline @_noLocks
  mutating func setIsPlaying(_ isPlaying: Bool, at microseconds: Int64) {
    link_set_is_playing(&state, isPlaying, microseconds)
  }

  @usableFromInline @_noLocks
  mutating func requestBeatAtStartPlayingTime(_ beat: Double, quantum: Double) {
    link_request_beat_at_start_playing_time(&state, beat, quantum)
  }

  @usableFromInline @_noLocks
  mutating func setIsPlaying(
    _ isPlaying: Bool, at microseconds: Int64, requestingBeat beat: Double, quantum: Double
  ) {
    link_set_is_playing_and_request_beat_at_time(&state, isPlaying, microseconds, beat, quantum)
  }
}
