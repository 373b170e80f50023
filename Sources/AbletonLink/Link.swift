public import MusicalTime
import Synchronization

/// A peer that can join the Link session of the local network.
///
/// It has a timeline of its own, which begins with beat zero at its making. Enabled, it looks for other peers
/// and shares tempo and phase with them.
///
/// All of it is thread-safe. ``AudioThreadAccess`` has the calls for an audio thread.
public final class Link: Sendable {
  private struct State {
    var isEnabled = false
    var joining: Task<Void, Never>?
    var hasAudioThread = false
  }

  /// How long joining waits by default: 0.6 s.
  ///
  /// Link takes one session for older than another only if it is by more than half a second. Of two that are
  /// not, chance decides whose tempo stays. A session that exists when ``setEnabled(_:settling:)`` is called
  /// shall always win, so the bridge's own begins this much later. The other one may well have begun just
  /// now, when its last other peer left.
  ///
  /// It is the same in Link 3.0.6, 3.1.2 and 4.0: of two peers on one machine, with 26 tries for each release and time,
  /// the one that came up to 0.45 s after the other's session began gave it its tempo in half of them, at 0.5 s in 0, 2
  /// and 1, and from 0.55 s on in none of 233. A peer with Link 4.0 that is enabled as soon as it is made begins its
  /// session up to half a second after that, when its own thread looks: then 1.1 s were too few.
  public static var settlingTime: Duration { .milliseconds(600) }

  /// The release of Link that is compiled in, from its headers: `3.0`, `3.1`, or `4.0` for that and newer
  /// ones.
  ///
  /// Programs with different releases are peers all the same. Thread-safe. Realtime-safe: no.
  public static var release: String { LinkCode.release }

  private let instance: LinkInstance
  private let listeners: LinkListeners
  private let state = Mutex(State())

  /// Makes a peer that is disabled and stopped.
  ///
  /// `tempo` is its own until it joins a session, whose tempo it takes. It starts two threads, and throws
  /// when the system has no resources for them.
  ///
  /// Realtime-safe: no. The corresponding Link function is the constructor of `Link`.
  public init(tempo: Tempo) throws(LinkError) {
    listeners = LinkListeners()
    instance = try LinkInstance(tempo: tempo, listener: .passUnretained(listeners))
  }

  deinit {
    // In this order: Link's threads end, and with them the last call to a listener; then the streams end.
    state.withLock { $0.joining?.cancel() }
    instance.destroy()
    listeners.finish()
  }

  // MARK: The session

  /// Whether this peer takes part in the session of its network.
  ///
  /// This is the wish, true from the call of ``setEnabled(_:settling:)`` on.
  ///
  /// Realtime-safe: no. The corresponding Link function is `isEnabled`.
  public var isEnabled: Bool { state.withLock { $0.isEnabled } }

  /// Joins the session of the network, or leaves it.
  ///
  /// Leaving takes effect at once; with Link 4.0, whose own thread may miss the call, after half a second at most.
  /// Joining never changes a session that exists when this is called: it waits
  /// for ``settlingTime``, without blocking the caller, so that Link takes that session for the older one;
  /// then it looks for peers. Everything that was committed until then is settled first and stays this peer's
  /// own. Beats go on counting where they are unless the joined session has another phase.
  ///
  /// Realtime-safe: no. The corresponding Link function is `enable`.
  ///
  /// - Parameters:
  ///   - isEnabled: Whether to take part.
  ///   - settling: How long joining waits. Less is safe for a peer that left less than ``settlingTime`` ago
  ///     and has waited for the rest of it elsewhere.
  public func setEnabled(_ isEnabled: Bool, settling: Duration = Link.settlingTime) {
    state.withLock { state in
      guard state.isEnabled != isEnabled else { return }
      state.isEnabled = isEnabled
      state.joining?.cancel()
      if isEnabled {
        state.joining = Task.detached { [weak self] in
          // Only a cancellation throws, and `join` sees it.
          try? await Task.sleep(for: settling)
          self?.join()
        }
      } else {
        state.joining = nil
        instance.enable(false)
      }
      listeners.isEnabled.send(isEnabled)
    }
  }

  /// Whether it is enabled but not yet looking for peers.
  var isSettling: Bool { state.withLock { $0.joining != nil } }

  private func join() {
    state.withLock { state in
      guard !Task.isCancelled else { return }
      state.joining = nil
      instance.enable(true)
    }
  }

  /// Whether starts and stops are shared with other peers that share theirs.
  ///
  /// Realtime-safe: no. The corresponding Link function is `isStartStopSyncEnabled`.
  public var isStartStopSyncEnabled: Bool { instance.isStartStopSyncEnabled }

  /// Shares starts and stops with other peers, or keeps them apart.
  ///
  /// It takes effect with the next start or stop, here or elsewhere. The transport stays as it is.
  ///
  /// Realtime-safe: no. The corresponding Link function is `enableStartStopSync`.
  public func setStartStopSyncEnabled(_ isEnabled: Bool) {
    state.withLock { _ in
      guard instance.isStartStopSyncEnabled != isEnabled else { return }
      instance.enableStartStopSync(isEnabled)
      listeners.isStartStopSyncEnabled.send(isEnabled)
    }
  }

  /// How many other peers are in the session.
  ///
  /// Realtime-safe: yes. The corresponding Link function is `numPeers`.
  public var numberOfPeers: Int {
    @_noLocks get { instance.numberOfPeers() }
  }

  /// Whether there is at least one other peer in the session.
  ///
  /// Realtime-safe: yes. The corresponding Link function is `numPeers`.
  public var isConnected: Bool {
    @_noLocks get { instance.numberOfPeers() > 0 }
  }

  /// The time now, in whole microseconds of Link's clock.
  ///
  /// Realtime-safe: yes. The corresponding Link function is `clock().micros()`.
  @_noLocks
  public func now() -> HostTime<LinkClock> { instance.now() }

  // MARK: Session state

  /// Copies the state of the session as all threads but the audio thread see it.
  ///
  /// Realtime-safe: no. The corresponding Link function is `captureAppSessionState`.
  public func captureSessionState() -> SessionState<AppThread> {
    SessionState(storage: instance.captureAppSessionState())
  }

  /// Commits the changes of `state` since it was captured to the session.
  ///
  /// A capture sees it at once; the audio thread with its next capture, peers after the network's latency.
  /// Where an audio thread runs, leave changes to it: two that change the session at the same time undo each
  /// other's. Commit only a state that was captured just before: a change of beats or tempo carries the whole
  /// timeline, and an old one would undo later changes of others.
  ///
  /// Realtime-safe: no. The corresponding Link function is `commitAppSessionState`.
  public func commit(_ state: SessionState<AppThread>) { instance.commitAppSessionState(state.storage) }

  /// Gives the audio thread its access. Call it once: a second call is a mistake in the program and traps.
  ///
  /// Realtime-safe: no.
  public func makeAudioThreadAccess() -> AudioThreadAccess {
    state.withLock { state in
      precondition(!state.hasAudioThread, "A Link has one audio thread, and its access was already made")
      state.hasAudioThread = true
    }
    return AudioThreadAccess(instance: instance)
  }

  // MARK: Changes

  /// Every change of ``isEnabled``.
  ///
  /// Like all streams of changes: it begins with the first change after this call, is the caller's own, ends
  /// when the ``Link`` goes, and drops the oldest of more than 16 changes that were not read.
  public func enabledChanges() -> AsyncStream<Bool> { listeners.isEnabled.stream() }

  /// Every change of ``isStartStopSyncEnabled``.
  public func startStopSyncChanges() -> AsyncStream<Bool> { listeners.isStartStopSyncEnabled.stream() }

  /// Every change of ``numberOfPeers``.
  ///
  /// The corresponding Link function is `setNumPeersCallback`.
  public func peerCountChanges() -> AsyncStream<Int> { listeners.peerCount.stream() }

  /// Every change of the session's tempo, by this peer or another.
  ///
  /// The corresponding Link function is `setTempoCallback`.
  public func tempoChanges() -> AsyncStream<Tempo> { listeners.tempo.stream() }

  /// Every start and stop of the transport, by this peer or another.
  ///
  /// The corresponding Link function is `setStartStopCallback`.
  public func isPlayingChanges() -> AsyncStream<Bool> { listeners.isPlaying.stream() }
}
