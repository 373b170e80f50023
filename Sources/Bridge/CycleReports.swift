import MusicalTime
import Reconciliation

/// Turns what the cycles of one server notice, and what holds, into events, as often as people can read them.
struct CycleReports {
  private var xruns = XrunTally()
  private var transports = TransportTally()
  private var conditions = ConditionReporter()
  /// The leader that a cycle has last shown.
  private var leader = Leader.link
  /// How many of the cycle's notices are known to be lost.
  private var lost = 0

  /// The event that a notice is, if it is one at once.
  mutating func take(_ notice: CycleNotice, at now: HostTime<LinkClock>) -> BridgeEvent? {
    switch notice {
    case .transportStarted: transports.note(rolls: true)
    case .transportStopped: transports.note(rolls: false)
    case .startTakenBack: break
    case .notice(.transport(let notice)): return .transport(notice)
    case .notice(.grid(let notice)): if conditions.passes(notice, at: now) { return .grid(notice) }
    }
    return nil
  }

  /// The transport's start or stop that is due.
  mutating func transport(at now: ContinuousClock.Instant) -> BridgeEvent? {
    transports.due(at: now).map { $0 ? .transportStarted : .transportStopped }
  }

  /// Whether another side leads than in the status before.
  mutating func leaderHasChanged(to leader: Leader) -> Bool {
    defer { self.leader = leader }
    return leader != self.leader
  }

  /// The events that are due by now: starts and stops, conditions that hold, and what was missed.
  mutating func due(
    _ status: CycleStatus, xruns count: Int, at time: HostTime<LinkClock>, _ now: ContinuousClock.Instant
  ) -> [BridgeEvent] {
    var events = transport(at: now).map { [$0] } ?? []
    while let notice = conditions.due(status.conditions, at: time) {
      switch notice {
      case .grid(let notice): events.append(.grid(notice))
      case .transport(let notice): events.append(.transport(notice))
      }
    }
    if status.counts.lostNotices > lost {
      events.append(.noticesLost(status.counts.lostNotices - lost))
      lost = status.counts.lostNotices
    }
    if let missed = xruns.due(of: count, at: now) { events.append(.xruns(missed)) }
    return events
  }
}
