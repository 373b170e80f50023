import Foundation
import Glibc
import Stage
import Testing

/// The connections of the bridge's ports, when its server or its sample rate is another.
@Suite(.serialized, .alone) struct ReconnectionTests {
  private func run(_ words: String..., on server: JackServer) throws -> String {
    let program = try Child(words[0], Array(words.dropFirst()), environment: server.environment)
    let status = try program.wait()
    #expect(status.isSuccess, "\(words): \(program.text(of: .errors))")
    return program.text()
  }

  /// Waits until `port` is connected to nothing but `other`, ten seconds at most.
  private func awaitConnection(_ port: String, _ other: String, on server: JackServer) throws {
    var seen: [Substring] = []
    for _ in 0..<100 {
      seen = try run("jack_lsp", "-c", port, on: server).split(separator: "\n").dropFirst().map {
        $0.drop { $0 == " " }
      }
      if seen == [other[...]] { return }
      usleep(100_000)
    }
    Issue.record("\(port) is connected to \(seen)")
  }

  @Test(arguments: [SIGTERM, SIGKILL])
  func `After the server's return the ports are connected as before`(signal: Int32) throws {
    let scene = try Scene(on: .jackd, flags: ["--midi-clock", "rolling", "--click", "rolling"])
    _ = try run("jack_connect", "jackstay:click", "system:playback_2", on: scene.server)
    try awaitConnection("jackstay:click", "system:playback_2", on: scene.server)
    try scene.join()
    _ = try scene.restartServer(by: signal)
    try awaitConnection("jackstay:click", "system:playback_2", on: scene.server)
    // A connection that a user removes stays away.
    _ = try run("jack_disconnect", "jackstay:click", "system:playback_2", on: scene.server)
    usleep(1_500_000)
    #expect(!(try run("jack_lsp", "-c", "jackstay:click", on: scene.server)).contains("system:playback_2"))
  }

  @Test func `PipeWire's changes of sample rate leave client, connections and MIDI clock as they are`() throws
  {
    let scene = try Scene(
      on: .pipewire, period: 256, flags: ["--midi-clock", "rolling", "--click", "rolling"])
    try scene.hearMIDIClock()
    try scene.join()
    try scene.roll()
    try scene.probe.send("wait 0.5")
    let first = scene.bridge.lines(of: .errors).count
    for change in 0..<9 {
      let rate = change.isMultiple(of: 2) ? 44100 : 48000
      let before = scene.bridge.lines(of: .errors).count
      _ = try run("pw-metadata", "-n", "settings", "0", "clock.force-rate", "\(rate)", on: scene.server)
      try scene.bridge.awaitLine(in: .errors, from: before, "the change to \(rate)") {
        $0.contains("sample rate")
      }
      try scene.probe.send("wait 0.4")
      try awaitConnection("jackstay:midi_clock", "linkprobe:midi", on: scene.server)
    }
    let lines = scene.bridge.lines(of: .errors)[first...]
    #expect(!lines.contains { $0.contains("is gone") || $0.contains("connected") }, "\(lines)")
    try scene.rest()
    let recording = try scene.midiRecording()
    // A clock is a 24th of a beat, 21 ms at this tempo: those of the last change are where Link's are.
    let ways = recording.messages.filter { $0.status == MIDIRecording.clock && $0.isRolling }.suffix(9).map {
      let clocks = $0.linkBeat * 24
      return abs(clocks - clocks.rounded()) / 24 * 60_000 / $0.beatsPerMinute
    }.sorted()
    #expect(try #require(ways.dropFirst(4).first) < 3, "\(ways) ms")
    let words = recording.words
    #expect(words.count { $0 == MIDIRecording.start } == 1, "\(words)")
    #expect(words.first == MIDIRecording.start && words.last == MIDIRecording.stop, "\(words)")
  }
}
