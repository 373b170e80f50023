import MusicalTime
import Reconciliation
import Testing

@Suite struct ServerRulesTests {
  @Test(
    arguments: [
      ("1.9.21", ServerRules.jackd2), ("0.126.0", .jackd2), ("3.0.0.0 (using PipeWire 0.3.65)", .pipewire),
      ("3.0.0.0 (using PipeWire 0.3.80)", .pipewire), ("3.0.0.0 (using PipeWire 1.4.2)", .modernPipewire),
      ("", .jackd2),
    ])
  func `The library that a program runs with tells whose rules hold`(version: String, rules: ServerRules) {
    #expect(ServerRules(libraryVersion: version) == rules)
  }

  @Test(
    "A PipeWire whose server starts and stops is asked elsewhere; one that shows an owner's ticks is left its own",
    arguments: [("1.1.82", false, false), ("1.2.0", true, false), ("1.2.5", true, true), ("2.0", true, true)])
  func versions(version: String, isLate: Bool, showsTicks: Bool) {
    let rules = ServerRules(libraryVersion: "3.0.0.0 (using PipeWire \(version))")
    #expect(rules.takesTransportLate == isLate && (rules.wholeTicks == nil) == showsTicks)
  }

  @Test(arguments: [("1.5.84", false), ("1.6.0", true), ("1.6.7", true), ("1.6.8", false)])
  func `PipeWire 1.6.0 to 1.6.7 may lose MIDI events`(version: String, loses: Bool) throws {
    let version = try #require(PipeWireVersion(libraryVersion: "3.0.0.0 (using PipeWire \(version))"))
    #expect(PipeWireVersion.losesMIDI.contains(version) == loses)
  }

  @Test func `A start is given up before the server does, and else as late as a quantum may need`() {
    #expect(Reconciler.Configuration(rules: .pipewire).longestHold < .seconds(5))
    let quantum = Quantum(barOf: .common)
    #expect(Reconciler.Configuration().longestHold > Tempo.slowest.interval(of: quantum.beats))
    #expect(Reconciler.Configuration(rules: .holding(for: .seconds(60))).longestHold < .seconds(20))
  }
}
