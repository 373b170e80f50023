import MusicalTime
import Reconciliation

extension Notices {
  /// All of them, in the order in which they were reported.
  public var all: [Notice] { (0..<count).compactMap { self[$0] } }
}

extension Decision {
  /// The last notice about the transport.
  public var notice: TransportNotice? {
    notices.all.lazy.reversed().compactMap { if case .transport(let notice) = $0 { notice } else { nil } }
      .first
  }

  /// The last notice about tempo and beat.
  public var gridNotice: GridNotice? {
    notices.all.lazy.reversed().compactMap { if case .grid(let notice) = $0 { notice } else { nil } }.first
  }
}

extension ConditionReporter {
  /// Adds the reports that are due to the notices of a cycle, as far as there is room.
  public mutating func report(
    _ conditions: Conditions, at now: HostTime<LinkClock>, in notices: inout Notices
  ) {
    while notices.count < Notices.capacity, let notice = due(conditions, at: now) { notices.tell(notice) }
  }
}
