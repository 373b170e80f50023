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
