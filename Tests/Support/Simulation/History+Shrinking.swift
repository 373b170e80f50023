import MusicalTime

extension History {
  /// The shortest history found in which the same law does not hold: in a world that is as usual wherever it can
  /// be, without all that comes after, and without whatever can be left out.
  public func shrunken(_ law: Law, fault: Fault? = nil) -> History {
    var shortest = self
    guard let end = fails(law, fault) else { return self }
    shortest.truncate(after: end)
    // An event that matters with all the others may not matter with the few that are left.
    var hasChanged = true
    while hasChanged {
      _ = shortest.resetSetup(law, fault)
      hasChanged = shortest.dropEvents(law, fault)
    }
    return shortest
  }

  /// Makes what does not matter of the world as it usually is, and returns whether anything was not.
  private mutating func resetSetup(_ law: Law, _ fault: Fault?) -> Bool {
    var isReset = false
    for field in Setup.fields {
      var candidate = self
      field.reset(&candidate.setup)
      guard candidate.setup != setup, let end = candidate.fails(law, fault) else { continue }
      candidate.truncate(after: end)
      self = candidate
      isReset = true
    }
    return isReset
  }

  /// Leaves out what does not matter of the events, and returns whether anything did not.
  private mutating func dropEvents(_ law: Law, _ fault: Fault?) -> Bool {
    let count = events.count
    var size = max(1, count / 2)
    while true {
      var isShorter = false
      var first = 0
      while first < events.count {
        var candidate = self
        candidate.events.removeSubrange(first..<min(first + size, candidate.events.count))
        if let end = candidate.fails(law, fault) {
          candidate.truncate(after: end)
          self = candidate
          isShorter = true
        } else {
          first += size
        }
      }
      if size == 1, !isShorter { return events.count < count }
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
