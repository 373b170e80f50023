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

  /// JACK's times, the wake-ups, for how long JACK has kept time, and the part of an error that is beyond
  /// doubt.
  @Test(arguments: [
    (1.4, -77.2, 9000.0, 1.4), (-60, -77, 9000, -60), (91.7, 28.1, 9000, 91.7), (91.7, 28.1, 800, 0),
    (250, 180, 800, 80),
    (-60, -77, 800, 0), (-137.1, -46.1, 9000, 0), (30, -200, 9000, -100), (80, 90, 9000, 90),
    (-400, 250, 9000, 250),
  ])
  func `An error goes by JACK's times only where wake-ups bear them out`(
    theirs: Double, heard: Double, strayed: Double, certain: Double
  ) throws {
    let errors = #""err_out":\#(theirs),"heard_err":\#(heard),"frame_err_out":\#(theirs + 2)"#
    let fields = errors + #","to_quantum_out":\#(-theirs),"play_time_us":\#(theirs - 7)"#
    let report = try #require(ProbeReport(#"{\#(fields),"strayed_ms":\#(strayed)}"#))
    #expect(abs(try #require(report.certain("err_out")) - certain) < 1e-9)
    if certain == theirs { #expect(report.certain("frame_err_out") == certain + 2) }
    #expect(abs(try #require(report.certain("to_quantum_out")) + certain) < 1e-9)
    #expect(abs(try #require(report.certain("play_time_us")) + 7 - certain) < 1e-9)
    #expect(report.certain("err_out_med") == nil)
    // The same error of a value that is right at another place.
    let moved = #""err_out":\#(theirs + 5333),"heard_err":\#(heard + 5333),"strayed_ms":\#(strayed)"#
    let other = try #require(ProbeReport("{\(moved)}"))
    #expect(abs(try #require(other.certain("err_out", from: 5333)) - certain) < 1e-9)
    let alone = try #require(ProbeReport(#"{"to_quantum_out":3,"err_out":3}"#))
    #expect(alone.certain("to_quantum_out") == nil)
  }

  /// JACK's times, the wake-ups, how long after JACK's times the middle wake-up was, and the part of an error that is
  /// beyond doubt.
  @Test(arguments: [
    (1.7, 94.7, 60.0, 1.7), (1.7, 94.7, -5, 1.7), (1.7, 94.7, -20, 94.7), (-159.7, -8.1, 60, -8.1),
    (-50, 60, 60, 0), (90, 200, 60, 90), (-159.7, -8.1, -20, 0),
    (101.7, 17.4, 151, 17.4), (101.7, 17.4, 90, 101.7), (160, 97, 151, 97), (-120, -180, 151, -80),
  ])
  func `Where wake-ups vary, an error goes by JACK's times or by the first wake-up`(
    theirs: Double, heard: Double, woken: Double, certain: Double
  ) throws {
    let fields =
      #""err_out_med":\#(theirs),"heard_med":\#(heard),"woken_med":\#(woken),"strayed_ms":7366"#
    let report = try #require(ProbeReport("{\(fields)}"))
    #expect(abs(try #require(report.certain("err_out_med")) - certain) < 1e-9)
  }

  /// An owner's distance in microseconds, and how often JACK's times have strayed.
  @Test(arguments: [(20_000.0, 0.0, false), (20_000, 1, true), (-20_000, 3, true), (5000, 1, false)])
  func `Only an owner that has lost frames may be further from Link than is steered`(
    distance: Double, strays: Double, isSo: Bool
  ) throws {
    let errors = #""err_out_med":\#(distance),"heard_med":\#(distance - 20)"#
    let report = try #require(ProbeReport(#"{"t":9,"strayed_ms":8900,\#(errors),"strays":\#(strays)}"#))
    #expect(report.isOfOwnerWithLosses == isSo)
  }

  @Test func `Coming to a server is nothing that JACK's times stray by`() throws {
    let server = try JackServer.started()
    var strays: [Double] = []
    while strays.last != 0, strays.count < 5 {
      let probe = try LinkProbe.start(server: server)
      strays.append(try probe.measure("calm", seconds: 0.3)["strays"] ?? .nan)
      _ = try probe.finish()
    }
    // A stray that the machine causes by itself seldom comes five times in a row.
    #expect(strays.last == 0, "\(strays)")
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
    #expect(try #require(watch["ms"]) < 5000)
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

  @Test func `A slow-sync client holds the transport as long as the test asks`() throws {
    let server = try JackServer.started()
    let probe = try LinkProbe.start(server: server)
    try probe.send("slow 300")
    #expect(try #require(probe.launch()["ms"]) >= 300)
    let again = try probe.launch(by: "locate 48000")
    #expect(try #require(again["ms"]) >= 300)
    #expect(again["frame"] == 48000)
    try probe.send("jackstop")
    #expect(try probe.awaitState("stopped"))

    try probe.send("slow never")
    try probe.send("jackstart")
    #expect(try probe.awaitState("starting"))
    try probe.send("locateloop 5 20")
    try probe.send("wait 0.2")
    let held = try probe.peers()
    #expect(held["jack_state"] == 3)
    #expect(held["rolls"] == 2)
    try probe.send("slow off")
    #expect(try probe.awaitState("rolling"))
    #expect(try probe.peers()["rolls"] == 3)
  }

  @Test func `A report on a press of play has its time, and one on a roll of JACK's its own`() throws {
    let server = try JackServer.started()
    let probe = try LinkProbe.start(server: server)
    try probe.send("jackstart")
    #expect(try probe.awaitState("rolling"))
    try probe.send("playat -60")
    var now = try probe.peers()
    #expect(now["link_playing"] == 1)
    #expect(try #require(now["play_time_ms"]) <= -60_000)
    try probe.send("playat 3")
    now = try probe.peers()
    #expect((0...3000).contains(try #require(now["play_time_ms"])))
    #expect(try #require(now["roll_time_ms"]) < 1000)
    #expect(now["link_jumps"] == 0)
  }

  @Test func `The time of a sound goes by when cycles woke up, in a window and at a roll`() throws {
    let server = try JackServer.started()
    let probe = try LinkProbe.start(server: server, joinsLink: false)
    try probe.send("master 120 4")
    let roll = try probe.launch()
    #expect(roll.has("heard_err"), "\(roll)")
    try probe.send("wait 0.2")
    let report = try probe.measure(seconds: 0.5)
    // Wake-ups are never early, so the output is never ahead of JACK's times by more than their noise.
    let later = try #require(report["err_out_med"]) - #require(report["heard_med"])
    #expect(later > -300, "\(report)")
    #expect(try #require(report["heard_p99"]) <= #require(report["heard_max"]), "\(report)")
  }

  @Test func `A master publishes the requested position, and knows when another client writes`() throws {
    let server = try JackServer.started(period: 1024)
    let probe = try LinkProbe.start(server: server, joinsLink: false)
    try probe.send("jackstart")
    #expect(try probe.awaitState("rolling"))
    try probe.send("master 100 3")
    try probe.send("wait 0.2")
    let good = try #require(try probe.judgeWindow("a master", seconds: 0.3))
    #expect(good["jack_bpm"] == 100 && good["bad_bbt"] == 0 && good["beats_per_bar"] == 3, "\(good)")
    try probe.send("says 77")
    try probe.send("ticks 960")
    try probe.send("wait 0.1")
    let liar = try #require(try probe.judgeWindow("a master that lies", seconds: 0.3))
    #expect(liar["jack_bpm"] == 77 && liar["bad_bbt"] == 0, "\(liar)")
    #expect(abs(try #require(liar["jack_bpm_effective"]) - 100) < 1, "\(liar)")
    #expect(try probe.peers()["valid"] == 16)
    for kind in ["nan", "bar0", "negtick", "beats0", "tpb0"] {
      try probe.send("badmaster \(kind)")
      try probe.send("wait 0.1")
      let bad = try #require(try probe.judgeWindow("a bad master", seconds: 0.2))
      #expect(bad["bad_bbt"] == bad["rolling"], "\(kind): \(bad)")
    }
    try probe.send("badmaster none")
    try probe.send("wait 0.1")
    #expect(try #require(try probe.judgeWindow("a master that is well again", seconds: 0.2))["bad_bbt"] == 0)
    let state = try probe.peers()
    #expect(try #require(state["stolen"]) <= #require(state["late"]), "\(state)")

    let other = try LinkProbe.start(server: server, name: "other", joinsLink: false)
    try other.send("master 90 4")
    try other.send("wait 0.2")
    #expect(try #require(probe.peers()["stolen"]) > 0)
    #expect(try probe.peers()["peers"] == 0)
    try probe.send("takeloop 2 10")
    try probe.send("wait 0.1")
    #expect(try #require(other.peers()["stolen"]) > 0)
  }

  @Test func `A check that a stalled server disturbs is not judged, and that is reported`() throws {
    let server = try JackServer.started(period: 1024)
    let probe = try LinkProbe.start(server: server)
    try probe.send("jackstart")
    #expect(try probe.awaitState("rolling"))
    func standStill() throws {
      try server.suspend()
      usleep(100_000)
      server.resume()
      try probe.send("wait 0.1")
    }
    let report = try probe.measure("still", seconds: 0.6) {
      usleep(200_000)
      try server.suspend()
      usleep(100_000)
      server.resume()
    }
    #expect(!report.isUndisturbed, "\(report)")
    #expect(try #require(report["late"]) > 0, "\(report)")

    var entries: [Judged] = []
    var attempts = 0
    let number = try probe.judge("a count", telling: { entries.append($0) }) {
      attempts += 1
      if attempts == 1 { try standStill() }
      return attempts == 2 ? nil : attempts
    }
    #expect(try #require(number) >= 3)
    let inVain = try probe.judge("a standstill", for: .zero, atLeast: 2, telling: { entries.append($0) }) {
      try standStill()
      return 0
    }
    #expect(inVain == nil)
    #expect(entries.map(\.check) == ["a count", "a standstill"])
    #expect(entries.map(\.isJudged) == [true, false])
    #expect(entries[0].attempts >= 3 && entries[0].missed >= 1, "\(entries)")
    #expect(entries[1].attempts == 2 && entries[1].missed >= 2, "\(entries)")
    #expect(entries.allSatisfy { $0.test.contains("LinkProbeTests") }, "\(entries)")
  }

  @Test func `A probe can be several peers, which join and leave together`() throws {
    let one = try LinkProbe.start(server: nil)
    let others = try LinkProbe.start(server: nil, joinsLink: false, peers: 5)
    #expect(try one.peers()["peers"] == 0)
    try others.send("enable 1")
    #expect(try one.awaitState("peers 5"))
    try others.send("enable 0")
    #expect(try one.awaitState("alone"))
  }

  @Test func `The probe changes the server's period, lets it run free, and brings others to it`() throws {
    let server = try JackServer.started()
    let probe = try LinkProbe.start(server: server, joinsLink: false)
    let size = try #require(try probe.send("buffersize 1024").first { $0.word("event") == "buffersize" })
    #expect(size["rc"] == 0 && size["frames"] == 1024)
    #expect(size["latency"].map { ($0 * 0.048).rounded() } == 2048)
    let paced = try #require(try probe.measure(seconds: 0.3)["cycles"])
    #expect(try probe.send("freewheel 1").allSatisfy { $0["rc"] != -1 })
    let free = try #require(try probe.measure(seconds: 0.3)["cycles"])
    try probe.send("freewheel 0")
    #expect(free > 2 * paced, "\(free) cycles, \(paced) before")
    let crowd = try #require(try probe.send("clients 5 50").first { $0.word("event") == "clients" })
    #expect(crowd["opened"] == 5)
  }

  @Test func `A bad action ends the probe and the driver gets an error`() throws {
    let probe = try LinkProbe.start(server: nil)
    #expect(throws: StageError.self) { try probe.send("no such action") }
  }
}
