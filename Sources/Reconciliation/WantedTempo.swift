import MusicalTime

/// A tempo that a user wants, until it can be set: for a second after we have set one we do not see those of others.
struct WantedTempo: Sendable, BitwiseCopyable {
  let tempo: Tempo
  /// What the cycle has seen of the session's since it was asked for, as long as it does not see that of others.
  var seen: Tempo
  /// What Link had last reported then.
  private let reported: Tempo

  @_noLocks
  init(tempo: Tempo, seen: Tempo, reported: Tempo) {
    self.tempo = tempo
    self.seen = seen
    self.reported = reported
  }

  /// Whether somebody else has set another tempo since it was asked for: neither what the session had then, nor
  /// what we have set ourselves. Realtime-safe.
  @_noLocks
  func isOverruled(by report: Tempo) -> Bool {
    !report.isSameOnTheWire(as: reported) && !report.isSameOnTheWire(as: seen)
      && !report.isSameOnTheWire(as: tempo)
  }
}
