/// Which of the clients that are heard make up for JACK's output latency themselves.
///
/// There are two conventions, and both are right. A click track plays at a frame what belongs to that frame,
/// and is heard an output latency later. A workstation plays it that much earlier, so that it is heard at the
/// frame's own time. What JACK clients read can suit only one of them: where at least half of them make up
/// for it, they all are taken to.
public struct OutputConvention: Sendable, Equatable {
  /// The clients that make up for it themselves.
  public let compensating: [String]
  /// The others.
  public let others: [String]

  /// No client is heard.
  init() { self.init(of: [], compensating: []) }

  /// What `clients` do, if those do so whose names begin with one of `names`, in upper or lower case.
  init(of clients: [String], compensating names: [String]) {
    let prefixes = names.map { $0.lowercased() }
    func compensates(_ client: String) -> Bool { prefixes.contains { client.lowercased().hasPrefix($0) } }
    compensating = clients.filter(compensates)
    others = clients.filter { !compensates($0) }
  }

  /// Whether the latency is theirs to make up for, and not ours.
  public var leavesLatencyToClients: Bool { !compensating.isEmpty && compensating.count >= others.count }

  /// Whether it means the same for people, whoever comes and goes.
  func isLike(_ other: OutputConvention) -> Bool {
    // Who does not is nobody's news as long as all do not.
    if compensating.isEmpty, other.compensating.isEmpty { return true }
    return compensating == other.compensating && others.isEmpty == other.others.isEmpty
      && leavesLatencyToClients == other.leavesLatencyToClients
  }
}
