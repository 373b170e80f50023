import MusicalTime
import Reconciliation

extension Decision {
  /// Its reports.
  public var notices: [Notice] {
    guard press != nil || correction != nil || restoration != nil || answer != nil else { return [] }
    return [press, correction].compactMap { $0.map(Notice.transport) }
      + [restoration, answer].compactMap { $0.map(Notice.grid) }
  }
}

/// The decision of a cycle, with the reports about conditions that are due in it.
@dynamicMemberLookup
public struct ReportedDecision: Sendable {
  /// The decision itself.
  public let decision: Decision
  /// All reports, those about conditions last.
  public let notices: [Notice]

  /// The decision of a cycle, and what is reported of conditions in it.
  public init(_ decision: Decision, reports: [Notice]) {
    self.decision = decision
    notices = decision.notices + reports
  }

  /// A part of the decision.
  public subscript<Value>(dynamicMember member: KeyPath<Decision, Value>) -> Value {
    decision[keyPath: member]
  }

  /// The last notice about the transport.
  public var notice: TransportNotice? {
    notices.lazy.reversed().compactMap { if case .transport(let notice) = $0 { notice } else { nil } }.first
  }

  /// The last notice about tempo and beat.
  public var gridNotice: GridNotice? {
    notices.lazy.reversed().compactMap { if case .grid(let notice) = $0 { notice } else { nil } }.first
  }
}

extension ConditionReporter {
  /// The reports that are due.
  public mutating func reports(_ conditions: Conditions, at now: HostTime<LinkClock>) -> [Notice] {
    var reports: [Notice] = []
    while let notice = due(conditions, at: now) { reports.append(notice) }
    return reports
  }
}
