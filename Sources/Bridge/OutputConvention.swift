/// Which of the clients that are heard make up for JACK's output latency themselves.
///
/// There are two conventions, and both are right. A click track plays at a frame what belongs to that frame,
/// and is heard an output latency later. A workstation plays it that much earlier, so that it is heard at the
/// frame's own time. A published position suits only one of them: it suits compensating clients where at
/// least half of the clients are.
public struct OutputConvention: Sendable, Equatable {
  /// The clients that make up for it themselves.
  public let compensating: [String]
  /// The others.
  public let others: [String]

  /// No client is heard.
  init() { self.init(of: [], compensating: []) }

  /// The convention of `clients`, of which those compensate whose names begin with one of `names`, in upper
  /// or lower case.
  init(of clients: [String], compensating names: [String]) {
    let prefixes = names.map { $0.lowercased() }
    func compensates(_ client: String) -> Bool { prefixes.contains { client.lowercased().hasPrefix($0) } }
    compensating = clients.filter(compensates)
    others = clients.filter { !compensates($0) }
  }

  /// Whether clients compensate the latency, so that the bridge does not.
  public var leavesLatencyToClients: Bool { !compensating.isEmpty && compensating.count >= others.count }

  /// Whether it differs in nothing worth a report, although other clients may have come or gone.
  func isLike(_ other: OutputConvention) -> Bool {
    // No change is worth a report while no client compensates.
    if compensating.isEmpty, other.compensating.isEmpty { return true }
    return compensating == other.compensating && others.isEmpty == other.others.isEmpty
      && leavesLatencyToClients == other.leavesLatencyToClients
  }
}
