import MusicalTime
import Reconciliation
import Testing

@Suite struct ServerRulesTests {
  @Test(
    "The library that a program runs with tells whose rules hold",
    arguments: [
      ("1.9.21", ServerRules.jackd2), ("0.126.0", .jackd2), ("3.0.0.0 (using PipeWire 0.3.65)", .pipewire),
      ("3.0.0.0 (using PipeWire 1.2.4)", .pipewire), ("", .jackd2),
    ])
  func library(version: String, rules: ServerRules) {
    #expect(ServerRules(libraryVersion: version) == rules)
  }

  @Test(
    "A PipeWire that shows an owner's ticks as they are is left its own",
    arguments: ["1.2.5", "1.4.2", "2.0"])
  func ticks(version: String) {
    var rules = ServerRules.pipewire
    rules.wholeTicks = nil
    #expect(ServerRules(libraryVersion: "3.0.0.0 (using PipeWire \(version))") == rules)
  }

  @Test func `A start is given up before the server does, and else as late as a quantum may need`() {
    #expect(Reconciler.Configuration(rules: .pipewire).longestHold < .seconds(5))
    let quantum = Quantum(barOf: .common)
    #expect(Reconciler.Configuration().longestHold > Tempo.slowest.interval(of: quantum.beats))
    #expect(Reconciler.Configuration(rules: .holding(for: .seconds(60))).longestHold < .seconds(20))
  }
}
