import Foundation
import Glibc
import JSON
import Stage
import Testing

/// The bridge on a real server, controlled by another process.
@Suite(.serialized, .alone) struct ControlTests {
  private let folder: RuntimeFolder
  private let scene: Scene

  init() throws {
    folder = try RuntimeFolder()
    scene = try Scene(environment: folder.environment)
  }

  @discardableResult private func tell(_ words: String...) throws -> Child {
    let child = try Child(Products.path("jackstay"), words, environment: folder.environment)
    #expect(try child.wait().isSuccess, "\(words): \(child.text(of: .errors))")
    return child
  }

  private func status() throws -> JSONObject {
    try JSONObject(parsing: tell("status", "--json").text().utf8)
  }

  private func events(of watcher: Child) -> [JSONObject] {
    watcher.lines().compactMap { try? JSONObject(parsing: $0.utf8) }.filter { $0["event"] != nil }
  }

  @Test func `start, tempo and stop are carried out, and the status shows it`() throws {
    try tell("start")
    #expect(try scene.probe.awaitState("rolling"))
    #expect(eventually { (try? self.status())?["transport"] == "rolling" })
    try tell("tempo", "126")
    #expect(eventually { (try? self.status())?["tempo"]?.number.map { abs($0 - 126) < 0.01 } == true })
    let status = try self.status()
    #expect(status["state"] == "bridging" && status["leader"] == "link" && status["timebase"] == "bridge")
    #expect(status["mode"] == "auto" && status["peers"] == 0 && status["quantum"] == 4)
    #expect((status["bar"]?.number ?? 0) >= 1)
    #expect((0..<4).contains(status["phase"]?.number ?? -1))
    let text = try tell("status").lines()
    #expect(
      text.map { $0.prefix { $0 != " " } } == [
        "bridge", "tempo", "transport", "session", "timebase", "frames", "latency", "versions",
      ])
    #expect(text.contains("tempo      126.00 bpm, meter 4/4"))
    try tell("stop")
    #expect(try scene.probe.awaitState("stopped"))
    try tell("mode", "jack")
    #expect(eventually { (try? self.status())?["mode"] == "jack" })
  }

  /// How many sockets of this network are bound to Link's port.
  private func linkSockets() throws -> Int {
    let text = try String(contentsOfFile: "/proc/net/udp", encoding: .utf8)
    return text.split(separator: "\n").count { $0.split(separator: " ")[1].hasSuffix(":5148") }
  }

  @Test
  func
    `The status has the peers' addresses while it is asked for, and Link's port is free without a session`()
    throws
  {
    #expect(try status()["peer_addresses"] == nil)
    try scene.join()
    #expect(eventually { (try? self.status())?["peer_addresses"] == "127.0.0.1" })
    try tell("link", "off")
    #expect(try status()["peer_addresses"] == nil)
    try scene.probe.send("enable 0")
    #expect(eventually { (try? linkSockets()) == 0 })
    try tell("link", "on")
    try scene.probe.send("enable 1")
    #expect(eventually { (try? self.status())?["peer_addresses"] == "127.0.0.1" })
  }

  /// The frame of JACK's transport, from the status.
  private func place() throws -> [Double?] {
    let status = try self.status()
    return ["bar", "beat", "tick"].map { status[$0]?.number }
  }

  @Test func `A place is gone to, stopped and rolling, and in order with a stop`() throws {
    try tell("locate", "5")
    #expect(eventually { (try? place()) == [5, 1, 0] })
    try tell("locate", "3s")
    #expect(eventually { (try? place()) == [2, 3, 0] })
    // A bar of eight seconds: on a slow machine two programs may take two.
    try tell("tempo", "30")
    try tell("start")
    #expect(try scene.probe.awaitState("rolling"))
    try tell("rewind")
    #expect(eventually { ((try? place())?.first ?? nil) == 1 })
    try scene.bridge.write("locate 9\nstop\nrewind\n")
    #expect(try scene.probe.awaitState("stopped"))
    #expect(eventually { (try? place()) == [1, 1, 0] })
    let far = try Child(Products.path("jackstay"), ["locate", "1000000s"], environment: folder.environment)
    #expect(try far.wait() == .exited(1))
    #expect(far.text(of: .errors) == "jackstay: JACK does not count that far. Give an earlier place.\n")
  }

  @Test func `A tempo is stepped and tapped`() throws {
    let isThere = { (tempo: Double, within: Double) in
      eventually {
        (try? self.status())?["tempo"]?.number.map { abs($0 - tempo) < within } == true
      }
    }
    for _ in 0..<3 { try tell("tempo", "+1.5") }
    #expect(isThere(124.5, 0.01))
    try tell("tempo", "-4.5")
    #expect(isThere(120, 0.01))
    #expect(try tell("tempo", "tap").text() == "tap again: two taps make a tempo\n")
    // On standard input nothing is as long in coming as a process is.
    for _ in 0..<4 {
      usleep(1_000_000)
      try scene.bridge.write("tempo tap\n")
    }
    #expect(isThere(60, 6))
  }

  @Test func `Link is left and joined, and starts and stops are shared or not, as commanded`() throws {
    try scene.join()
    try tell("link", "off")
    #expect(try scene.probe.awaitState("alone"))
    #expect(try status()["link"] == false)
    try tell("link", "on")
    #expect(try scene.probe.awaitState("peers 1"))
    try scene.probe.send("wait 1.5")
    try tell("start-stop-sync", "off")
    try scene.probe.send("wait 0.5")
    try scene.probe.send("playnow")
    try scene.probe.send("wait 3")
    #expect(try status()["transport"] == "stopped")
    try tell("start-stop-sync", "on")
    try scene.probe.send("wait 2")
    #expect(try status()["transport"] == "stopped")
    try tell("start")
    #expect(try scene.probe.awaitState("rolling"))
    try scene.probe.send("wait 1.5")
    try scene.probe.send("stop")
    #expect(try scene.probe.awaitState("stopped"))
  }

  @Test func `Another output latency is made up for at once`() throws {
    try tell("latency", "25")
    #expect(eventually { (try? self.status())?["latency_ms"] == 25 })
    try tell("latency", "none")
    #expect(eventually { (try? self.status())?["latency_ms"] == 0 })
    try scene.bridge.awaitLine(in: .errors) { $0.hasSuffix("jackstay: output latency 25.0 ms") }
  }

  @Test func `A session that is begun has the tempo of the last one`() throws {
    let keeping = folder.environment.merging(
      ["JACKSTAY_STATE": nil, "XDG_STATE_HOME": folder.path] as [String: String?]
    ) { $1 }
    scene.bridge.terminate()
    for (tempo, begins) in [("97", 120), ("104.5", 97)] {
      let bridge = try Scene.bridge(on: scene.server, environment: keeping)
      #expect(
        eventually { (try? self.status())?["tempo"]?.number.map { abs($0 - Double(begins)) < 0.01 } == true })
      let first = bridge.lines(of: .errors).count
      try bridge.write("tempo \(tempo)\n")
      try bridge.awaitLine(in: .errors, from: first) { $0.contains("tempo \(tempo)") }
      #expect(bridge.terminate().isSuccess)
    }
  }

  @Test func `Two watchers get the same events, in the order of the log`() throws {
    let watchers = try (0..<2).map { _ in
      let child = try Child(
        Products.path("jackstay"), ["watch", "--json"], environment: folder.environment)
      try child.awaitLine { $0 == #"{"answer":"watching"}"# }
      return child
    }
    let reader = try Child(Products.path("jackstay"), ["watch"], environment: folder.environment)
    try scene.bridge.write("tempo 100\n")
    usleep(300_000)
    let first = scene.bridge.lines(of: .errors).count
    try scene.join()
    for tempo in ["111", "122", "133"] {
      try tell("tempo", tempo)
      try scene.bridge.awaitLine(in: .errors, from: first) { $0.contains("tempo \(tempo).00 bpm") }
    }
    try tell("start")
    try scene.bridge.awaitLine(in: .errors, from: first) { $0.contains("transport started") }
    try tell("stop")
    try scene.bridge.awaitLine(in: .errors, from: first) { $0.contains("transport stopped") }
    for watcher in watchers {
      try watcher.awaitLine { $0.contains(#""event":"transport_stopped""#) }
      let names = events(of: watcher).compactMap { $0["event"]?.string }
      let tempos = events(of: watcher).filter { $0["event"] == "tempo" }.compactMap { $0["tempo"]?.number }
      #expect(tempos.suffix(3).map { $0.rounded() } == [111, 122, 133])
      #expect(names.contains("peers") && names.contains("start_waits"))
      let marks = ["start_waits", "transport_started", "transport_stopped"].map {
        names.lastIndex(of: $0) ?? -1
      }
      #expect(marks == marks.sorted(), "\(names)")
    }
    #expect(events(of: watchers[0]).map(\.line) == events(of: watchers[1]).map(\.line))
    try reader.awaitLine { $0 == "transport stopped" }
    // The watcher's lines for people are those of the log.
    let told = Set(
      scene.bridge.lines(of: .errors).map {
        $0.withoutTime.replacing("jackstay: " as String, with: "" as String)
      })
    #expect(reader.lines().allSatisfy { told.contains($0) }, "\(reader.lines())")
  }
}
