import Control
import Foundation
import Glibc
import JSON
import PropertyTesting
import Stage
import Testing
import Web

/// All ways of commanding the bridge at once: in the end all agree, whichever the commands came by.
///
/// Some seconds of it; with `JACKSTAY_PRESSING_SECONDS=60` a minute.
@Suite(.serialized, .alone, .measured) struct SurfaceTests {
  private let folder: RuntimeFolder
  private let scene: Scene
  private let port: UInt16

  init() throws {
    folder = try RuntimeFolder()
    port = try OSCPeer.freePort()
    scene = try Scene(
      bpm: 240, flags: ["--osc", "\(port)", "--panel", "8090"], environment: folder.environment)
  }

  private var control: ControlPlaces {
    ControlPlaces(environment: folder.environment.compactMapValues { $0 })
  }

  /// How long is pressed.
  private static let length = Duration.seconds(
    ProcessInfo.processInfo.environment["JACKSTAY_PRESSING_SECONDS"].flatMap { Double($0) } ?? 4)

  /// A user who presses: the commands, and the answers, on one surface.
  private struct Record: Sendable {
    var said = 0
    var answers: [String: Int] = [:]
    /// The tempos it has asked for, in order.
    var tempos: [Double] = []
  }

  /// Has a user press random buttons, each of whose tempos is faster than the one before.
  private func press(
    as index: Int, until end: ContinuousClock.Instant, _ say: (String) -> String?
  ) -> Record {
    var record = Record()
    var random = Seeded(seed: UInt64(index))
    while ContinuousClock.now < end {
      var line = ["start", "stop", "rewind"].randomElement(using: &random) ?? "stop"
      if random.oneIn(2) {
        let tempo = Double(1000 + 2000 * index + record.tempos.count) / 10
        record.tempos.append(tempo)
        line = "tempo \(tempo)"
      }
      record.said += 1
      if let answer = say(line) { record.answers[answer, default: 0] += 1 }
      usleep(.random(in: 20_000...60_000, using: &random))
    }
    return record
  }

  @Test func `Socket, panel, OSC and standard input at once lose nothing, and all agree in the end`() throws {
    try scene.join()
    let watcher = try Child(Products.path("jackstay"), ["watch", "--json"], environment: folder.environment)
    try watcher.awaitLine { $0 == #"{"answer":"watching"}"# }
    let listener = try OSCPeer(sendingTo: port)
    listener.send("/jackstay/subscribe")
    #expect(listener.first { $0.address == "/jackstay/value/osc_subscribers" } != nil)
    let first = scene.bridge.lines(of: .errors).count

    let end = ContinuousClock.now + Self.length
    let pressers: [@Sendable () throws -> Record] = [
      { [self] in try pressSocket(as: 0, until: end) }, { [self] in try pressPanel(as: 1, until: end) },
      { [self] in try pressOSC(as: 2, until: end) },
      { [self] in
        press(as: 3, until: end) {
          try? scene.bridge.write($0 + "\n"); return nil
        }
      },
    ]
    let hands = pressers.map { presser in Companion { _ in try? presser() } }
    let ears = Companion { isOver in
      var heard: [OSCPeer.Message] = []
      var renewed = ContinuousClock.now
      while !isOver() {
        // A subscription ends by itself after a minute.
        if .now - renewed > .seconds(20) {
          listener.send("/jackstay/subscribe")
          renewed = .now
        }
        guard let message = listener.next(within: .milliseconds(100)) else { continue }
        if message.address.hasPrefix("/jackstay/event/") { heard.append(message) }
      }
      return heard
    }

    // Nothing is lost: each was answered once, and taken.
    let pressed = hands.compactMap { $0.awaitEnd() }
    #expect(pressed.count == pressers.count)
    for (index, record) in pressed.prefix(3).enumerated() {
      #expect(record.answers == ["taken": record.said], "\(index)")
    }
    for record in pressed { #expect(record.said > 20) }

    // All agree: the last command is the state of all.
    let last = try OSCPeer(sendingTo: port)
    #expect(last.ask("/jackstay/stop")?.texts.first == "taken")
    #expect(last.ask("/jackstay/tempo", .int(100))?.texts.first == "taken")
    let state = try scene.probe.awaitPeers { report in
      report["jack_state"] == 0 && report["link_playing"] == 0 && isNear(report["link_bpm"], 100)
        && isNear(report["jack_bpm"], 100)
    }
    #expect(state["jack_state"] == 0 && state["link_playing"] == 0, "\(state)")
    #expect(isNear(state["link_bpm"], 100) && isNear(state["jack_bpm"], 100), "\(state)")
    let socket = try ControlClient(name: nil, in: control)
    let status = try socket.ask("status")
    #expect(status["transport"] == "stopped" && isNear(status["tempo"]?.number, 100))
    #expect(last.ask("/jackstay/value/transport")?.values == [.text("stopped")])
    #expect(status["osc_invalid"] == 0 && status["osc_malformed"] == 0 && status["invalid_lines"] == 0)
    let lines = scene.bridge.lines(of: .errors).count
    try scene.bridge.write("status\n")
    try scene.bridge.awaitLine(in: .errors, from: lines) { $0.hasPrefix("transport  stopped") }

    // The order of the events is the same everywhere.
    try watcher.awaitLine { $0.contains(#""tempo":100"#) || $0.contains(#""tempo":99.99"#) }
    try scene.probe.send("wait 0.5")
    let heard = ears.end()
    let events = watcher.lines().compactMap { try? JSONObject(parsing: $0.utf8) }.filter {
      $0["event"] != nil
    }
    let names = events.compactMap { $0["event"]?.string }
    #expect(heard.map { String($0.address.dropFirst("/jackstay/event/".count)) } == names)
    let logged = scene.bridge.lines(of: .errors)[first...].filter {
      $0.hasSuffix("transport started") || $0.hasSuffix("transport stopped")
    }
    let rolls = names.filter { $0 == "transport_started" || $0 == "transport_stopped" }
    #expect(logged.map { $0.hasSuffix("started") } == rolls.map { $0 == "transport_started" })
    let tempos = events.filter { $0["event"] == "tempo" }.compactMap { $0["tempo"]?.number }
    // Link reports the last of several tempos that follow each other at once.
    #expect(tempos.count > 1)
    for (index, record) in pressed.enumerated() {
      // The commands of one surface come in their order.
      let band = Double(100 + 200 * index)..<Double(300 + 200 * index)
      let told = tempos.dropLast().filter { band.contains($0) }
      #expect(
        told == told.sorted() && told.count <= record.tempos.count, "\(index): \(told)")
    }
  }

  private func pressSocket(as index: Int, until end: ContinuousClock.Instant) throws -> Record {
    let client = try ControlClient(name: nil, in: control)
    return press(as: index, until: end) { (try? client.ask($0))?["answer"]?.string ?? "none" }
  }

  private func pressPanel(as index: Int, until end: ContinuousClock.Instant) throws -> Record {
    let guest = try WebGuest(port: 8090)
    return press(as: index, until: end) { (try? guest.tell($0))?["answer"]?.string ?? "none" }
  }

  private func pressOSC(as index: Int, until end: ContinuousClock.Instant) throws -> Record {
    let peer = try OSCPeer(sendingTo: port)
    return press(as: index, until: end) { line in
      let words = line.split(separator: " ").map(String.init)
      let answer =
        words.count == 1
        ? peer.ask("/jackstay/\(words[0])")
        : peer.ask("/jackstay/\(words[0])", .double(Double(words[1]) ?? 0))
      return answer?.texts.first ?? "none"
    }
  }
}

/// Whether a tempo is that one, as far as the wire has it.
private func isNear(_ tempo: Double?, _ wanted: Double) -> Bool {
  tempo.map { abs($0 - wanted) < 0.01 } ?? false
}
