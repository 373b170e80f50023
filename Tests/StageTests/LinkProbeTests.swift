import Foundation
import Stage
import Testing

@Suite(.serialized, .alone) struct LinkProbeTests {
  @Test func `A report gives numbers and words by key`() throws {
    let report = try #require(ProbeReport(#"{"t":1.250,"watch":"a -> b","ms":null,"frame":12}"#))
    #expect(report["t"] == 1.25)
    #expect(report["frame"] == 12)
    #expect(report["ms"] == nil)
    #expect(report.has("ms"))
    #expect(report.word("watch") == "a -> b")
    #expect(ProbeReport("no report") == nil)
  }

  @Test func `Two probes find each other and agree on the tempo`() throws {
    let one = try LinkProbe.start(server: nil, bpm: 97)
    let other = try LinkProbe.start(server: nil, bpm: 97)
    #expect(try one.awaitState("peers 1"))
    #expect(try other.awaitState("peers 1"))
    try one.send("tempo 141.5")
    try one.send("wait 0.5")
    let tempo = try #require(try other.peers()["link_bpm"])
    #expect(abs(tempo - 141.5) < 0.01)
    #expect(try one.finish().isSuccess)
  }

  @Test func `The probe watches a server's transport while the driver is silent`() throws {
    let server = try JackServer.started()
    let probe = try LinkProbe.start(server: server)
    try probe.send("echo a \"quoted\" word")
    try probe.send("jackstart")
    let watch = try probe.watch("jack start -> jack rolling")
    #expect(try #require(watch["ms"]) < 1000)
    #expect(try probe.awaitState("rolling"))
    let report = try probe.measure("steady", seconds: 0.5)
    #expect(try #require(report["rolling"]) > 10)
    #expect(report["no_bbt"] == report["rolling"])
    server.kill()
    try server.start()
    try probe.send("reconnect 5")
    #expect(try probe.peers()["jack_state"] != nil)
    #expect(try probe.finish().isSuccess)
  }

  @Test func `A bad action ends the probe and the driver is told`() throws {
    let probe = try LinkProbe.start(server: nil)
    #expect(throws: StageError.self) { try probe.send("no such action") }
  }
}
