import Foundation
import JSON
import Stage
import Testing

/// The properties of the bridge's client on a real server, read and written by one of JACK's own programs.
@Suite(.serialized, .alone) struct MetadataTests {
  private static let own = "http://jackstay.github.io/metadata/"
  private static let x37v = "http://www.x37v.info/jack/metadata/"
  private let folder: RuntimeFolder
  private let scene: Scene

  init() throws {
    folder = try RuntimeFolder()
    scene = try Scene(flags: ["--metadata", "on"], environment: folder.environment)
  }

  private func property(_ words: String...) throws -> Child {
    let child = try Child("jack_property", words, environment: scene.server.environment)
    _ = try child.wait()
    return child
  }

  /// The properties of all clients, as JACK's own program lists them.
  private func listing() throws -> String { try property("-l").text() }

  private func isTold(_ key: String, _ value: String) -> Bool {
    eventually { (try? listing().contains("key: \(key) value: \(value)")) == true }
  }

  private func write(_ key: String, _ value: String) throws {
    #expect(try property("-s", "--client", "jackstay", key, value).wait().isSuccess)
  }

  private func status() throws -> JSONObject {
    let child = try Child(Products.path("jackstay"), ["status", "--json"], environment: folder.environment)
    #expect(try child.wait().isSuccess)
    return try JSONObject(parsing: child.text().utf8)
  }

  @Test func `Other clients read the bridge's name and status, and nothing is left at the end`() throws {
    #expect(isTold("http://jackaudio.org/metadata/pretty-name", "Jackstay"))
    #expect(isTold("http://jackaudio.org/metadata/icon-name", "jackstay"))
    for (key, value) in [
      ("\(Self.own)tempo", "120.000"), ("\(Self.own)peers", "0"), ("\(Self.own)mode", "auto"),
      ("\(Self.own)start-stop-sync", "true"), ("\(Self.x37v)bpm", "120.000"), ("\(Self.x37v)linkpeers", "0"),
      ("\(Self.x37v)linksync", "true"), ("\(Self.x37v)link/start-stop-sync", "true"),
    ] {
      #expect(isTold(key, value), "\(key)")
    }
    try scene.join()
    #expect(isTold("\(Self.own)peers", "1"))
    try scene.probe.changeTempo(131)
    #expect(isTold("\(Self.x37v)bpm", "131.000") && isTold("\(Self.own)tempo", "131.000"))
    #expect(scene.bridge.terminate().isSuccess)
    #expect(eventually { (try? listing().contains("key: ")) == false })
  }

  @Test func `On jackd2, whose database can hang it, nothing is written unless that is asked for`() throws {
    scene.end()
    for flags in [[], ["--metadata", "off"]] {
      let quiet = try Scene(flags: flags)
      try quiet.join()
      try quiet.probe.changeTempo(131)
      try quiet.probe.send("wait 0.6")
      let listing = try Child("jack_property", ["-l"], environment: quiet.server.environment)
      #expect(try listing.wait().isSuccess)
      #expect(!listing.text().contains("131.000"), "\(listing.text())")
    }
  }

  @Test func `A client's write is a command: tempo, mode, Link, start/stop sync`() throws {
    try scene.join()
    #expect(isTold("\(Self.x37v)bpm", "120.000") && isTold("\(Self.own)mode", "auto"))
    for (key, value, bpm) in [("\(Self.own)tempo", "133", 133.0), ("\(Self.x37v)bpm", "99.5", 99.5)] {
      // Twice: it is so already.
      for _ in 0..<2 { try write(key, value) }
      #expect(
        try abs((scene.probe.awaitPeers { abs(($0["link_bpm"] ?? 0) - bpm) < 0.01 }["link_bpm"] ?? 0) - bpm)
          < 0.01)
    }
    #expect(isTold("\(Self.own)tempo", "99.500"))
    try write("\(Self.own)mode", "link")
    #expect(eventually { (try? status())?["mode"] == "link" })
    try write("\(Self.x37v)link/start-stop-sync", "false")
    #expect(eventually { (try? status())?["start_stop_sync"] == false })
    #expect(isTold("\(Self.own)start-stop-sync", "false"))
    try write("\(Self.x37v)linksync", "false")
    #expect(try scene.probe.awaitState("alone"))
    try write("\(Self.x37v)linksync", "true")
    #expect(try scene.probe.awaitState("peers 1"))
    #expect(try status()["invalid_properties"] == 0)
    // The session has the last tempo still: no write has triggered another.
    #expect(try abs((scene.probe.peers()["link_bpm"] ?? 0) - 99.5) < 0.01)
  }

  @Test func `An invalid write is counted, is not carried out, and is overwritten`() throws {
    try scene.join()
    #expect(isTold("\(Self.own)tempo", "120.000"))
    let bad = ["inf", "nan", "0", "1e9", "text"]
    for (count, value) in bad.enumerated() {
      try write("\(Self.own)tempo", value)
      #expect(eventually { (try? status())?["invalid_properties"] == .number(Double(count + 1)) }, "\(value)")
      #expect(isTold("\(Self.own)tempo", "120.000"))
    }
    try write("\(Self.own)peers", "64")
    #expect(isTold("\(Self.own)peers", "1"))
    #expect(try property("-d", "--client", "jackstay", "\(Self.own)mode").wait().isSuccess)
    #expect(isTold("\(Self.own)mode", "auto"))
    #expect(try abs((scene.probe.peers()["link_bpm"] ?? 0) - 120) < 0.01)
    #expect(try status()["state"] == "bridging")
  }

  @Test func `When the server dies nothing is left, and the next one has all of it anew`() throws {
    #expect(isTold("\(Self.own)tempo", "120.000"))
    scene.server.kill()
    // By then it has left the one that is dead. A server that is back before the bridge is has nothing of it.
    try scene.bridge.awaitLine(in: .errors) { $0.contains("waiting for a JACK server") }
    scene.bridge.signal(SIGSTOP)
    try scene.server.start()
    #expect(try !listing().contains("jackstay"))
    scene.bridge.signal(SIGCONT)
    #expect(isTold("\(Self.own)tempo", "120.000"))
    try write("\(Self.own)tempo", "140")
    #expect(isTold("\(Self.x37v)bpm", "140.000"))
    #expect(scene.bridge.terminate().isSuccess)
    #expect(eventually { (try? listing().contains("key: ")) == false })
  }
}
