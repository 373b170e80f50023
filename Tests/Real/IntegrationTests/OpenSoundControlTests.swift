import Foundation
import Glibc
import JSON
import Stage
import Testing

/// The bridge on a real server, controlled by OSC from another program.
@Suite(.serialized, .alone) struct OpenSoundControlTests {
  private let folder: RuntimeFolder
  private let scene: Scene
  private let peer: OSCPeer
  private let port: UInt16

  init() throws {
    folder = try RuntimeFolder()
    port = try OSCPeer.freePort()
    scene = try Scene(bpm: 240, flags: ["--osc", "\(port)"], environment: folder.environment)
    peer = try OSCPeer(sendingTo: port)
  }

  private func status() throws -> JSONObject {
    let child = try Child(Products.path("jackstay"), ["status", "--json"], environment: folder.environment)
    #expect(try child.wait().isSuccess)
    return try JSONObject(parsing: child.text().utf8)
  }

  private func value(_ name: String) -> OSCPeer.Value? { peer.ask("/jackstay/value/\(name)")?.values.first }

  @Test func `Start and stop by OSC are JACK's and Link's, once and again, and both at once`() throws {
    try scene.join()
    let before = try scene.probe.peers()
    #expect(peer.ask("/jackstay/start")?.texts == ["taken", "/jackstay/start"])
    #expect(try scene.probe.awaitState("rolling"))
    #expect(try scene.probe.awaitState("playing"))
    // The state is that already; and a released button asks for nothing.
    #expect(peer.ask("/jackstay/start", .float(1))?.texts.first == "taken")
    peer.send("/jackstay/stop", .float(0))
    try scene.probe.send("wait 0.5")
    let rolling = try scene.probe.peers()
    #expect(rolling["link_playing"] == 1 && value("transport") == .text("rolling"))
    #expect(rolling["rolls"] == before["rolls"].map { $0 + 1 })
    peer.send(bundle: [("/jackstay/start", []), ("/jackstay/stop", [.int(1)])])
    #expect(try scene.probe.awaitState("stopped"))
    #expect(try scene.probe.awaitState("idle"))
    for _ in 0..<2 { #expect(peer.first { $0.address == "/jackstay/answer" }?.texts.first == "taken") }
    #expect(peer.ask("/jackstay/stop")?.texts.first == "taken")
    try scene.probe.send("wait 0.5")
    #expect(try scene.probe.peers()["link_playing"] == 0)
  }

  @Test func `A tempo by OSC is Link's, a wrong one is rejected, and a malformed datagram is counted`() throws
  {
    try scene.join()
    for value: OSCPeer.Value in [.float(133), .double(134.5), .int(135), .long(136), .text("+1")] {
      #expect(peer.ask("/jackstay/tempo", value)?.texts.first == "taken")
    }
    let report = try scene.probe.awaitPeers { abs(($0["link_bpm"] ?? 0) - 137) < 0.01 }
    #expect(abs((report["link_bpm"] ?? 0) - 137) < 0.01)
    for value: OSCPeer.Value in [
      .float(.nan), .float(.infinity), .int(19), .float(1e30), .float(-1), .truth(true),
    ] {
      let answer = peer.ask("/jackstay/tempo", value)
      #expect(answer?.texts.first == "error" && answer?.texts.last?.contains("expected") == true)
    }
    for bytes in [[0], Array("rubbish".utf8), [UInt8](repeating: 0xFF, count: 3000)] {
      peer.send(bytes: bytes)
    }
    #expect(peer.ask("/jackstay/value/osc_malformed")?.values == [.int(3)])
    let status = try status()
    #expect(status["osc_malformed"] == 3 && status["osc_invalid"] == 6 && status["osc_subscribers"] == 0)
    #expect(status["osc"] == .string("127.0.0.1:\(port)"))
    #expect(status["tempo"]?.number.map { abs($0 - 137) < 0.01 } == true)
    #expect(try abs((scene.probe.peers()["link_bpm"] ?? 0) - 137) < 0.01)
  }

  @Test func `Other tools' addresses start, stop, locate and set the tempo`() throws {
    try scene.join()
    peer.send("/jacklink/bpm", .float(120))
    #expect(eventually { peer.ask("/link/tempo")?.number.map { abs($0 - 120) < 0.01 } == true })
    #expect(peer.ask("/jacklink/bpm")?.number.map { abs($0 - 120) < 0.01 } == true)
    #expect(peer.ask("/link/num_peers")?.values == [.int(1)])
    #expect(peer.ask("/jacklink/beattime", .double(6))?.texts.first == "taken")
    #expect(eventually { peer.ask("/jacklink/beattime")?.number.map { abs($0 - 6) < 0.01 } == true })
    #expect(try scene.probe.peers().position.prefix(2) == [2, 3])
    #expect(peer.ask("/link/start_stop")?.values == [.int(0)])
    peer.send("/jacklink/rolling", .truth(true))
    #expect(try scene.probe.awaitState("rolling"))
    #expect(eventually { peer.ask("/link/start_stop")?.values == [.int(1)] })
    #expect(peer.ask("/jacklink/rolling")?.values == [.truth(true)])
    peer.send("/link/start_stop", .int(0))
    #expect(try scene.probe.awaitState("idle"))
    #expect(try scene.probe.awaitState("stopped"))
    peer.send("/link/tempo", .double(151))
    #expect(
      eventually { value("tempo") == .float(151) || abs((peer.ask("/link/tempo")?.number ?? 0) - 151) < 0.01 }
    )
    peer.send("/jacklink/sync", .truth(false))
    #expect(try scene.probe.awaitState("alone"))
    #expect(eventually { peer.ask("/jacklink/sync")?.values == [.truth(false)] })
    peer.send("/jacklink/sync", .int(1))
    #expect(try scene.probe.awaitState("peers 1"))
  }

  @Test func `A subscriber gets events and values, also at another port, until it unsubscribes`()
    throws
  {
    let faders = try OSCPeer(sendingTo: port)
    peer.send("/jackstay/subscribe", .int(Int32(faders.port)))
    #expect(faders.first { $0.address == "/jackstay/value/mode" }?.values == [.text("auto")])
    try scene.bridge.write("mode link\n")
    #expect(faders.first { $0.address == "/jackstay/value/mode" }?.values == [.text("link")])
    try scene.join()
    #expect(faders.first { $0.address == "/jackstay/event/peers" }?.values.first == .int(1))
    #expect(faders.first { $0.address == "/jackstay/value/peers" }?.values == [.int(1)])
    try scene.probe.send("playnow")
    #expect(faders.first { $0.address == "/jackstay/event/peer_pressed_play" } != nil)
    #expect(
      faders.first { $0.address == "/jackstay/value/transport" && $0.values == [.text("rolling")] } != nil)
    #expect(value("osc_subscribers") == .int(1))
    faders.send("/jackstay/unsubscribe")
    #expect(faders.first { $0.texts == ["taken", "/jackstay/unsubscribe"] } != nil)
    try scene.probe.send("stop")
    #expect(try scene.probe.awaitState("stopped"))
    #expect(eventually { value("transport") == .text("stopped") })
    #expect(faders.rest().isEmpty)
    // Without a server, there is no such value, and a message reports that.
    faders.send("/jackstay/subscribe")
    #expect(faders.first { $0.address == "/jackstay/value/tempo" } != nil)
    scene.server.kill()
    #expect(faders.first { $0.address == "/jackstay/value/tempo" && $0.values == [.null] } != nil)
    #expect(peer.ask("/jackstay/value/tempo")?.texts.first == "refused")
    #expect(peer.ask("/jackstay/start")?.texts.first == "refused")
  }

  @Test func `A port that another program has is reported, and the bridge goes on without`() throws {
    let second = try Child(
      Products.path("jackstay"), ["--osc", "\(port)", "--name", "second"],
      environment: folder.environment.merging([
        "JACK_DEFAULT_SERVER": "jackstay-nobody", "JACK_NO_START_SERVER": "1",
      ]) { $1 }, streams: .pipes)
    try second.awaitLine(in: .errors) { $0.contains("waiting for a JACK server") }
    #expect(
      second.lines(of: .errors).contains {
        $0.contains("going on without OSC: OSC cannot be received at 127.0.0.1:\(port)")
      })
    #expect(value("name") == .text("jackstay"))
  }
}
