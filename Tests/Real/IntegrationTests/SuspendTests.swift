import Stage
import Testing

/// After the machine has slept the session is joined anew: what Link knew of its peers' clocks is wrong.
@Suite(.serialized, .alone) struct SuspendTests {
  @Test(arguments: [true, false])
  func `The session is left and joined again, which does not start or stop anything`(isRolling: Bool) throws {
    let scene = try Scene(
      bpm: 97.3, environment: ["LD_PRELOAD": try Interposer.suspend(), "SUSPEND_AFTER": "8"])
    try scene.join()
    if isRolling { try scene.roll() }
    let before = try scene.probe.peers()
    #expect(scene.logged("the machine has slept").isEmpty)

    try scene.bridge.awaitLine(in: .errors, timeout: .seconds(30), "a sleep") {
      $0.contains("the machine has slept")
    }
    #expect(try scene.probe.awaitState("alone 5"))
    #expect(try scene.probe.awaitState("peers 1"))
    try scene.probe.send("wait 2")
    let after = try scene.probe.peers()
    for field in ["link_jumps", "link_playing", "link_bpm", "transport_changes"] {
      #expect(after[field] == before[field], "\(field): \(after)")
    }
    #expect(scene.logged("the machine has slept").count == 1)
    #expect(scene.logged("3600.0 s").count == 1, "\(scene.logged("slept"))")
    guard isRolling else { return }
    let report = try scene.probe.judge("what rolls after a sleep") { try scene.probe.measure(seconds: 0.3) }
    guard let report else { return }
    expectSteady(report)
    #expect(abs(try #require(report.certain("err_out_med"))) < accuracy, "\(report)")
  }
}
