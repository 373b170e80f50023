import Glibc
import Stage
import Testing

/// Outcomes of commands that no server carries out.
@Suite(.serialized, .alone) struct CommandOutcomeTests {
  @Test func `Without a server a mode is kept, and the answer reports that; any other command is rejected`()
    throws
  {
    let server = JackServer()
    let bridge = try Child(Products.path("jackstay"), environment: server.environment, streams: .pipes)
    try bridge.awaitLine(in: .errors) { $0.contains("waiting for a JACK server") }
    for command in ["start", "stop", "tempo 90"] {
      let first = bridge.lines(of: .errors).count
      try bridge.write("\(command)\n")
      try bridge.awaitLine(in: .errors, from: first, command) {
        $0.contains("jackstay: error: there is no JACK server. Start one")
      }
    }
    let first = bridge.lines(of: .errors).count
    try bridge.write("mode jack\n")
    let line = try bridge.awaitLine(in: .errors, from: first) { $0.contains("there is no JACK server") }
    #expect(
      line.text.hasSuffix("jackstay: there is no JACK server yet. The command takes effect when one runs."))

    try server.start()
    try bridge.awaitLine(in: .errors) { $0.contains("connected to JACK") }
    usleep(1_500_000)
    #expect(!bridge.text(of: .errors).contains("the bridge owns the timebase"))
    try bridge.write("mode auto\n")
    try bridge.awaitLine(in: .errors, "the timebase") { $0.contains("the bridge owns the timebase") }
  }

  @Test func `A tempo is rejected while JACK leads, on each surface, and not once Link is to lead`() throws {
    let folder = try RuntimeFolder()
    let scene = try Scene(environment: folder.environment)
    try scene.join()
    try scene.lead(scene.probe, bpm: 97)
    for command in ["tempo 100", "tempo +1", "tempo tap"] {
      let first = scene.bridge.lines(of: .errors).count
      try scene.bridge.write("\(command)\n")
      try scene.bridge.awaitLine(in: .errors, from: first, command) {
        $0.contains("jackstay: error: JACK leads, so the timebase owner sets the tempo")
      }
      let words = command.split(separator: " ").map { String($0) }
      let asked = try Child(
        Products.path("jackstay"), words, environment: folder.environment, streams: .pipes)
      #expect(try asked.wait() == .exited(1), "\(asked.text(of: .errors))")
      #expect(asked.text(of: .errors).contains("Change it there"), "\(asked.text(of: .errors))")
    }
    try scene.bridge.write("mode link\ntempo 100\n")
    usleep(500_000)
    #expect(abs(try #require(scene.probe.peers()["link_bpm"]) - 100) < 0.01)
  }

  @Test
  func `A latency of a port that JACK does not have is rejected, and watchers get each choice`()
    throws
  {
    let folder = try RuntimeFolder()
    let scene = try Scene(environment: folder.environment)
    let watcher = try Child(Products.path("jackstay"), ["watch"], environment: folder.environment)
    func tell(_ words: String...) throws -> (status: Stage.ExitStatus, errors: String) {
      let child = try Child(Products.path("jackstay"), words, environment: folder.environment)
      return (try child.wait(), child.text(of: .errors))
    }
    let refused = try tell("latency", "nosuch:port")
    #expect(refused.status == .exited(1))
    #expect(
      refused.errors
        == "jackstay: JACK has no port called \"nosuch:port\"; list its ports with jack_lsp, and name one\n")
    #expect(scene.logged("there is no such port").isEmpty)
    #expect(try tell("latency", "system:playback_1").status.isSuccess)
    for words in [
      ["link", "off"], ["start-stop-sync", "off"], ["launch", "beat"], ["discipline", "tempo"],
    ] {
      #expect(try tell(words[0], words[1]).status.isSuccess)
    }
    for text in [
      "Link is off: the bridge is not in the session. To join it again: link on",
      "starts and stops are not shared with the session", "starts wait for the next beat",
      "the session's tempo is steered to keep programs that count frames in phase",
    ] {
      try watcher.awaitLine { $0 == text }
    }
  }
}
