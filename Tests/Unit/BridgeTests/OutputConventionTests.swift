import Testing

@testable import Bridge

@Suite struct OutputConventionTests {
  private static let names = ["ardour", "Mixbus"]

  @Test(
    "The latency is left to clients where at least half of those that are heard make up for it themselves",
    arguments: [
      ([], false), (["klick"], false), (["ardour"], true), (["Ardour-01"], true),
      (["mixbus", "klick"], true),
      (["ardour", "klick", "Hydrogen"], false), (["ardour", "mixbus32c", "klick"], true),
      (["my ardour"], false),
    ] as [([String], Bool)])
  func majority(clients: [String], isLeft: Bool) {
    let convention = OutputConvention(of: clients, compensating: Self.names)
    #expect(convention.leavesLatencyToClients == isLeft)
    #expect((convention.compensating + convention.others).sorted() == clients.sorted())
  }

  @Test func `Without a name in the list no client compensates the latency`() {
    #expect(!OutputConvention(of: ["ardour"], compensating: []).leavesLatencyToClients)
  }

  @Test func `A client that comes or goes is reported where that changes something`() {
    func convention(_ clients: String...) -> OutputConvention {
      OutputConvention(of: clients, compensating: Self.names)
    }
    #expect(convention().isLike(convention("klick")))
    #expect(convention("klick").isLike(convention("Hydrogen", "klick")))
    #expect(!convention("ardour").isLike(convention("ardour", "klick")))
    #expect(!convention("ardour", "klick").isLike(convention("Hydrogen", "ardour", "klick")))
    #expect(
      convention("ardour", "Hydrogen", "klick").isLike(convention("ardour", "Hydrogen", "klick", "seq")))
  }
}
