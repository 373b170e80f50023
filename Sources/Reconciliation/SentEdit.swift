import MusicalTime

/// A ``LinkEdit`` that passes from the cycle that has decided it to the thread that commits it, with the
/// session as the cycle saw it.
///
/// The session may be another by the time the thread looks. A tempo that a peer has set meanwhile, and a
/// start or a stop that a peer has pressed, are later than the decision: these parts of the edit are dropped,
/// and the next cycle sees the peer's change. All else is done to the session as it is then.
public struct SentEdit: Sendable, BitwiseCopyable {
  /// The change.
  public let edit: LinkEdit
  /// When the session is to have ``LinkEdit/beat``.
  public let time: HostTime<LinkClock>
  /// The quantum that ``LinkEdit/beat`` is encoded for.
  public let quantum: Quantum
  private let tempo: Tempo
  private let isPlaying: Bool

  /// An edit of a cycle that had `seen` that session.
  @_noLocks
  public init(
    _ edit: LinkEdit, at time: HostTime<LinkClock>, in quantum: Quantum, seeing seen: LinkObservation
  ) {
    self.edit = edit
    self.time = time
    self.quantum = quantum
    tempo = seen.tempo
    isPlaying = seen.play.isPlaying
  }

  /// The part that is still to be done to a session that has this tempo, and plays or does not.
  /// Realtime-safe.
  @_noLocks
  public func remainder(tempo: Tempo, isPlaying: Bool) -> LinkEdit {
    var edit = edit
    if !tempo.isSameOnTheWire(as: self.tempo) {
      edit.tempo = nil
      edit.beat = nil
    }
    if isPlaying != self.isPlaying { edit.isPlaying = nil }
    return edit
  }
}
