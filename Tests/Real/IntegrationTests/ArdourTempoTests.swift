import Foundation
import Glibc
import JSON
import Stage
import Synchronization
import Testing

/// The bridge on a real server, beside an Ardour's WebSockets surface, which the test plays.
@Suite(.serialized, .alone) struct ArdourTempoTests {
  /// An Ardour with one tempo, and what it was asked for.
  private final class Studio: Sendable {
    struct State {
      var tempo = 120.0
      var isRecording = false
      var heard: [String] = []
      var guest: FakeArdour.Guest?
    }

    let state = Mutex(State())

    /// Talks with the bridge, as Ardour does.
    func talk(_ guest: FakeArdour.Guest) {
      guest.welcome()
      state.withLock { $0.guest = guest }
      tell()
      guest.text(#"{"node":"transport_record","val":[false]}"#)
      while let frame = guest.frame() {
        if frame.code == 9 { guest.raw([0x8A, UInt8(frame.payload.count)] + frame.payload) }
        guard frame.code == 1 else { continue }
        take(frame.text, guest)
      }
      state.withLock { $0.guest = nil }
    }

    private func take(_ text: String, _ guest: FakeArdour.Guest) {
      state.withLock { $0.heard.append(text) }
      if text.contains("transport_record") {
        // It tells nothing that it was asked to do, unless it is asked for it.
        if text.contains("val") {
          state.withLock { $0.isRecording = text.contains("true") }
        } else {
          guest.text(#"{"node":"transport_record","val":[\#(state.withLock { $0.isRecording })]}"#)
        }
      } else if let value = text.split(separator: "[").dropFirst().first?.prefix(while: { $0 != "]" }) {
        state.withLock { $0.tempo = Double(value) ?? 0 }
      } else {
        tell()
      }
    }

    private func tell() {
      let (tempo, guest) = state.withLock { ($0.tempo, $0.guest) }
      guest?.text(#"{"node":"transport_tempo","val":[\#((tempo * 1000).rounded() / 1000)]}"#)
    }

    /// A user sets another tempo.
    func edit(_ tempo: Double) {
      state.withLock { $0.tempo = tempo }
      tell()
    }

    var tempo: Double { state.withLock { $0.tempo } }
    /// How often it was to have another tempo.
    var sets: Int { state.withLock { $0.heard.count { $0.contains("tempo") && $0.contains("val") } } }
  }

  private let folder: RuntimeFolder
  private let studio = Studio()

  init() throws { folder = try RuntimeFolder() }

  private func tell(_ words: String...) throws -> (status: Stage.ExitStatus, output: String, errors: String) {
    let child = try Child(Products.path("jackstay"), words, environment: folder.environment)
    return (try child.wait(), child.text(), child.text(of: .errors))
  }

  private func status() throws -> JSONObject { try JSONObject(parsing: tell("status", "--json").output.utf8) }

  private func eventually(_ holds: () throws -> Bool) rethrows -> Bool {
    for _ in 0..<500 {
      if try holds() { return true }
      usleep(20_000)
    }
    return false
  }

  @Test
  func
    `Ardour has the session's tempo and the session Ardour's, rolling it is relocated once, and it records`()
    throws
  {
    let ardour = FakeArdour { [studio] in studio.talk($0) }
    let scene = try Scene(flags: ["--ardour", "\(ardour.port)"], environment: folder.environment)
    defer { scene.end() }
    try scene.join()
    #expect(try eventually { try status()["ardour"] == "connected" })

    try scene.probe.send("tempo 131.5")
    #expect(eventually { abs(studio.tempo - 131.5) < 0.01 })
    try scene.probe.send("locate 0")
    try scene.roll()
    // The start has brought frames into phase, or a relocation would be needed for it.
    try scene.probe.send("wait 1")
    let line = scene.bridge.lines(of: .errors).count
    let missed = try scene.probe.missedDeadlines()
    studio.edit(97.25)
    let report = try scene.probe.awaitPeers { abs(($0["link_bpm"] ?? 0) - 97.25) < 0.01 }
    #expect(abs((report["link_bpm"] ?? 0) - 97.25) < 0.01)
    func relocations() -> Int {
      scene.bridge.lines(of: .errors).dropFirst(line).count { $0.contains("at the bar line") }
    }
    #expect(eventually { relocations() == 1 })
    try scene.probe.send("wait 3")
    #expect(relocations() == 1)
    let frames = try #require(try status()["frame_error_ms"]?.number)
    if try scene.probe.canJudge("frames after a relocation", if: scene.probe.missedDeadlines() == missed) {
      #expect(abs(frames) < 1)
    }
    try scene.rest()
    // One set for the peer's tempo, and none that comes back.
    #expect(studio.sets == 1)

    #expect(try tell("record", "on").status.isSuccess)
    #expect(try eventually { try status()["ardour_records"] == true })
    #expect(try tell("status").output.contains("97.25 bpm, recording is on"))
    #expect(try tell("record", "off").status.isSuccess)
    #expect(try eventually { try status()["ardour_records"] == false })
  }

  @Test(.onEveryServer)
  func `By itself it connects where JACK has a client of Ardour's, and without peers takes its tempo`()
    throws
  {
    let ardour = FakeArdour(at: 3818) { [studio] in studio.talk($0) }
    studio.edit(95)
    let scene = try Scene(environment: folder.environment)
    defer { scene.end() }
    try scene.probe.send("wait 0.5")
    #expect(ardour.connections == 0)
    #expect(try status()["ardour"] == "absent")
    let refused = try tell("record", "on")
    #expect(refused.status == .exited(1) && refused.errors.contains("no connection with Ardour"))
    let client = try Child(
      "klick", ["-j", "-P", "-n", "ardour"], environment: scene.server.environment)
    #expect(try eventually { try status()["ardour"] == "connected" })
    #expect(try eventually { abs((try status()["tempo"]?.number ?? 0) - 95) < 0.01 })
    client.terminate()
    #expect(try eventually { try status()["ardour"] == "absent" })
    #expect(studio.sets == 0)
  }

  @Test func `Left alone it is not connected to, and a command for it has an answer`() throws {
    let ardour = FakeArdour(at: 3818) { [studio] in studio.talk($0) }
    let scene = try Scene(flags: ["--ardour", "off"], environment: folder.environment)
    defer { scene.end() }
    let client = try Child(
      "klick", ["-j", "-P", "-n", "ardour"], environment: scene.server.environment)
    defer { client.terminate() }
    try scene.probe.send("wait 1")
    #expect(ardour.connections == 0)
    #expect(try status()["ardour"] == nil)
    let refused = try tell("record", "on")
    #expect(refused.status == .exited(1) && refused.errors.contains("--ardour auto"))
  }
}
