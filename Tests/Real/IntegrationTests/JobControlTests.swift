import Glibc
import Stage
import Testing

/// The bridge as a job of a shell: before and behind others, and after its terminal has gone.
@Suite(.serialized, .alone) struct JobControlTests {
  /// A shell with job control in a terminal, that has been typed a command.
  private func shell(_ command: String, on server: JackServer) throws -> Child {
    let variables: [String: String?] = [
      "JACKSTAY": Products.path("jackstay"), "PS1": "ready ", "TERM": "dumb", "HISTFILE": nil,
    ]
    let shell = try Child(
      "bash", ["--noprofile", "--norc", "-i"], environment: server.environment.merging(variables) { $1 },
      streams: .terminalWithErrors)
    try shell.awaitText("the prompt") { $0.contains("ready ") }
    try shell.write("\(command)\n")
    return shell
  }

  private func expectTempo(
    _ beatsPerMinute: Double, at probe: LinkProbe, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let isIt = { (report: ProbeReport) in report["link_bpm"].map { abs($0 - beatsPerMinute) < 0.01 } == true }
    #expect(isIt(try probe.awaitPeers(where: isIt)), sourceLocation: sourceLocation)
  }

  @Test func `Begun in the background, it draws no live line there, and takes commands once it is in front`()
    throws
  {
    let server = try JackServer.started()
    let shell = try shell("\"$JACKSTAY\" &", on: server)
    try shell.awaitText("the log") { $0.contains("the bridge owns the timebase") }
    let probe = try LinkProbe.start(server: server, bpm: 120)
    #expect(try probe.awaitState("peers 1"))
    try shell.write("echo the shell\"'\"s turn\n")
    try shell.awaitText("the shell's line") { $0.contains("\nthe shell's turn") }
    #expect(!shell.text().contains(" bpm "))
    try shell.write("fg\n")
    try shell.awaitText("the live line") { $0.contains(" bpm ") }
    try shell.write("tempo 96\n")
    try expectTempo(96, at: probe)
    try shell.write("\u{3}")
    try shell.awaitText("the prompt") { $0.hasSuffix("ready ") }
    try shell.write("echo \"ended with $?\"\n")
    try shell.awaitText("the end") { $0.contains("\nended with 0") }
  }

  @Test func `Ctrl-Z stops it and gives the terminal back, and it takes commands again when it goes on`()
    throws
  {
    let server = try JackServer.started()
    let shell = try shell("\"$JACKSTAY\"", on: server)
    try shell.awaitText("the live line") { $0.contains("Link leads") }
    let probe = try LinkProbe.start(server: server, bpm: 120)
    #expect(try probe.awaitState("peers 1"))
    for round in 1...2 {
      // A text that is typed before is continued after.
      try shell.write("tem")
      try shell.awaitText("what is typed") { $0.hasSuffix("> tem") }
      try shell.write("\u{1A}")
      try shell.awaitText("the stop") { $0.components(separatedBy: "Stopped").count == round + 1 }
      try shell.write("stty -a; echo mode $((\(round)+10))\n")
      let text = try shell.awaitText("the mode") { $0.contains("\nmode \(round + 10)") }
      #expect(!text.contains("-icanon"))
      // JACK does not wait for it, and neither does the session: a peer that sends nothing is missed after 5
      // s.
      #expect(try probe.awaitState("alone", seconds: 3))
      #expect(try probe.peers()["owner"] ?? 0 == 0)
      // On in the background, and then in front again.
      if round == 2 { try shell.write("bg\n") }
      try shell.write("fg\n")
      try shell.awaitText("JACK again") {
        $0.components(separatedBy: "the bridge owns the timebase").count == round + 2
      }
      #expect(try probe.awaitState("peers 1"))
      try shell.awaitText("what was typed") { $0.hasSuffix("> tem") }
      try shell.write("po \(96 + round)\n")
      try expectTempo(96 + Double(round), at: probe)
    }
    try shell.write("\u{3}")
    try shell.awaitText("the prompt") { $0.hasSuffix("ready ") }
    try shell.write("echo \"ended with $?\"\n")
    try shell.awaitText("the end") { $0.contains("\nended with 0") }
  }

  @Test func `A hang-up that was ignored from the start stays ignored`() throws {
    let server = try JackServer.started()
    let bridge = try Child(
      "nohup", [Products.path("jackstay")], environment: server.environment, streams: .pipes)
    try bridge.awaitLine(in: .errors) { $0.contains("the bridge owns the timebase") }
    let probe = try LinkProbe.start(server: server, bpm: 120)
    #expect(try probe.awaitState("peers 1"))
    bridge.signal(SIGHUP)
    try probe.changeTempo(90)
    usleep(300_000)
    #expect(bridge.isRunning)
    #expect(bridge.terminate().isSuccess)
  }

  @Test
  func `A hang-up ends it when the terminal has gone, and has it read its configuration while that is there`()
    throws
  {
    let terminal = try Child(
      "bash", ["-c", "\"$0\" & echo pid $!; read -r", Products.path("jackstay")],
      environment: JackServer().environment, streams: .terminalWithErrors)
    try terminal.awaitText("the bridge") { $0.contains("waiting for a JACK server") }
    let words = terminal.text().components(separatedBy: "pid ")
    let pid = try #require(words.dropFirst().first.flatMap { pid_t($0.prefix { $0.isNumber }) })
    #expect(kill(pid, SIGHUP) == 0)
    try terminal.awaitText("what was read") {
      $0.contains("read the configuration again: nothing has changed")
    }
    #expect(!Child.hasEnded(pid))
    terminal.kill()
    #expect(eventually { Child.hasEnded(pid) })
  }

  @Test func `A bridge that is to outlive its terminal goes on when that is gone`() throws {
    let server = try JackServer.started()
    let probe = try LinkProbe.start(server: server, bpm: 120)
    let terminal = try Child(
      "bash", ["-c", "trap '' HUP; \"$0\" & echo pid $!; read -r", Products.path("jackstay")],
      environment: server.environment, streams: .terminalWithErrors)
    try terminal.awaitText("the bridge") { $0.contains("the bridge owns the timebase") }
    #expect(try probe.awaitState("peers 1"))
    let words = terminal.text().components(separatedBy: "pid ")
    let pid = try #require(words.dropFirst().first.flatMap { pid_t($0.prefix { $0.isNumber }) })
    // Its first process, the leader of the session, ends, and the kernel hangs up.
    terminal.kill()
    try probe.changeTempo(90)
    usleep(300_000)
    #expect(!Child.hasEnded(pid))
    #expect(kill(pid, SIGTERM) == 0)
    #expect(try probe.awaitState("alone"))
  }
}
