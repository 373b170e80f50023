import Foundation
import JACK
import Stage
import Testing

/// That nothing in the bridge's callbacks may block or allocate: seen from outside, by a library between it and the
/// system's.
@Suite(.serialized, .alone) struct RealtimeTests {
  @Test func `Callbacks allocate nothing, lock nothing and wait for nothing, whatever happens`() throws {
    let witness = try RealtimeWitness()
    let scene = try Scene(period: 256, bpm: 100, environment: witness.environment)
    var commits = 1  // the founding of the session
    // A peer, tempo changes, starts and stops from both sides, places to go, another client.
    try scene.join()
    for bpm in [90, 137.53] { try scene.probe.changeTempo(bpm) }
    try scene.roll()
    commits += 1
    for bpm in [60.0, 240] { try scene.probe.changeTempo(bpm) }
    for frame in [480_000, 0] {
      try scene.probe.send("locate \(frame)")
      try scene.probe.send("wait 0.2")
      try scene.probe.send("reposition \(frame + 1000)")
      try scene.probe.send("wait 0.2")
    }
    for (press, state) in [
      ("stop", "stopped"), ("playnow", "rolling"), ("jackstop", "idle"), ("jackstart", "playing"),
    ] {
      try scene.probe.send(press)
      #expect(try scene.probe.awaitState(state))
      if press.hasPrefix("jack") { commits += 1 }
    }
    #expect(try scene.probe.awaitState("rolling"))
    let other = try Client.open(name: "other", server: scene.server.name).activate(RealtimeHandler())
    try scene.probe.send("master 77 3")
    try scene.probe.send("wait 0.5")
    try scene.probe.send("release")
    try scene.probe.send("wait 1.5")
    other.close()
    try scene.probe.send("jackstop")
    commits += 1
    #expect(try scene.probe.awaitState("idle"))
    let end = try scene.probe.peers()
    let missed = Int(try #require(end["xruns"]) + #require(end["late"]))
    #expect(scene.bridge.terminate().isSuccess)

    let report = try witness.report()
    #expect(try #require(report.callbacks[.process]) > 500)
    // While a start is held JACK asks us in each cycle if it may roll, and its timebase owner nothing.
    #expect(try #require(report.callbacks[.timebase]) > 100)
    #expect(try #require(report.callbacks[.sync]) > 100)
    // What Link does itself when something is committed: it wakes the thread that tells the peers. A wake-up never
    // waits, and it comes only with a commit, which the bridge makes only to change something.
    let wakeups = report.calls["pthread_cond_signal"] ?? 0
    // A start that had to be planned anew is told again, and a missed deadline can make that necessary.
    #expect(wakeups <= 2 * commits + missed, "\(missed) missed deadlines, \(report)")
    #expect(report.calls.filter { $0.key != "pthread_cond_signal" }.isEmpty, "\(report)")
    #expect(report.offences.count == min(wakeups, RealtimeWitness.mostOffences))
    for offence in report.offences {
      #expect(try functions(of: offence).contains("link_commit_audio_session_state"), "\(report)")
    }
  }

  /// The names of the bridge's own functions that an offence was in.
  private func functions(of offence: RealtimeWitness.Offence) throws -> [String] {
    let symbolizer = try #require(Toolchain.locate("llvm-symbolizer"))
    let offsets = offence.frames.filter { $0.hasPrefix("jackstay+") }.map {
      String($0.dropFirst("jackstay+".count))
    }
    let child = try Child(
      symbolizer, ["--functions=linkage", "--obj=\(Products.path("jackstay"))"] + offsets)
    #expect(try child.wait(timeout: .seconds(60)).isSuccess)
    return child.lines()
  }
}
