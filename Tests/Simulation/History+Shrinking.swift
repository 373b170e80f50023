import MusicalTime

extension History {
  /// The shortest history found in which the same law does not hold: first without all that comes after, then
  /// without whatever can be left out.
  public func shrunken(_ law: Law, fault: Fault? = nil) -> History {
    var shortest = self
    guard let end = fails(law, fault) else { return self }
    shortest.truncate(after: end)
    var size = max(1, shortest.events.count / 2)
    while true {
      var isShorter = false
      var first = 0
      while first < shortest.events.count {
        var candidate = shortest
        candidate.events.removeSubrange(first..<min(first + size, candidate.events.count))
        if let end = candidate.fails(law, fault) {
          candidate.truncate(after: end)
          shortest = candidate
          isShorter = true
        } else {
          first += size
        }
      }
      if size == 1, !isShorter { return shortest }
      size = max(1, size / 2)
    }
  }

  /// When the law is broken, if it is.
  private func fails(_ law: Law, _ fault: Fault?) -> HostInterval? {
    guard let violation = Simulation(self, fault: fault).run(), violation.law == law else { return nil }
    return violation.time
  }

  private mutating func truncate(after time: HostInterval) {
    duration = time + HostInterval(nanoseconds: 1)
    events.removeAll { $0.time > time }
  }
}
