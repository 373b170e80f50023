import Foundation
import Glibc
import JSON
import Settings
import Stage
import Testing

/// The program as another process's remote control, where no JACK server is.
@Suite(.serialized, .alone)
struct ControlCommandTests {
  private let folder: RuntimeFolder

  init() throws { folder = try RuntimeFolder() }

  private func environment(_ folder: RuntimeFolder) -> [String: String?] {
    [
      "HOME": "/nowhere", "XDG_CONFIG_HOME": nil, "JACK_DEFAULT_SERVER": "jackstay-nobody",
      "JACK_NO_START_SERVER": "1", "XDG_RUNTIME_DIR": folder.path,
    ]
  }

  /// A bridge that waits for a server.
  private func bridge(_ flags: String...) throws -> Child {
    let bridge = try Child(
      Products.path("jackstay"), flags, environment: environment(folder), streams: .pipes)
    try bridge.awaitLine(in: .errors, "the wait") { $0.contains("waiting for a JACK server") }
    return bridge
  }

  /// Sends words to the running bridge, and returns its answer.
  private func tell(_ words: String...) throws -> (status: Stage.ExitStatus, output: String, errors: String) {
    let child = try Child(Products.path("jackstay"), words, environment: environment(folder))
    return (try child.wait(), child.text(), child.text(of: .errors))
  }

  private func mode(of name: String) throws -> mode_t {
    var found = stat()
    try #require(lstat("\(folder.path)/jackstay\(name)", &found) == 0)
    return found.st_mode & 0o777
  }

  private var files: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: "\(folder.path)/jackstay")) ?? []).sorted()
  }

  /// The values after the words that need them.
  private static let values = [
    "tempo": "-0.5", "mode": "link", "locate": "17", "launch": "now", "discipline": "tempo",
    "latency": "12.5", "offset": "-2", "link": "off", "record": "on",
    "tempo-sync": "receive", "start-stop-sync": "off", "quantum": "8", "meter": "6/8", "downbeat": "-1",
  ]

  @Test(arguments: Instruction.vocabulary.map(\.word).filter { $0 != "help" })
  func `Without a bridge, each command says so in one line`(word: String) throws {
    let value = Self.values[word]
    let words = [word, value].compactMap(\.self)
    let child = try Child(Products.path("jackstay"), words, environment: environment(folder))
    #expect(try child.wait() == .exited(1))
    #expect(child.text().isEmpty)
    #expect(child.text(of: .errors) == "jackstay: no bridge runs; start one with: jackstay\n")
  }

  @Test func `Without a bridge of that name a command says so, with the name`() throws {
    let named = try tell("status", "--name", "studio")
    #expect(named.status == .exited(1))
    #expect(
      named.errors
        == "jackstay: no bridge called \"studio\" runs; start one with: jackstay --name studio\n")
  }

  @Test func `Each command to a running bridge is in the help, and has a help of its own`() throws {
    let help = try tell("--help-all").output
    for word in Instruction.vocabulary {
      #expect(help.contains("\n  \(word.usage)  "), "\(word.usage)")
      guard word.word != "help" else { continue }
      #expect(help.contains("\n  \(word.word)  "))
      let own = try tell(word.word, "--help")
      #expect(own.status.isSuccess)
      #expect(own.output.contains("USAGE: jackstay \(word.usage) [--name NAME] [--json]"), "\(own.output)")
    }
  }

  @Test func `top needs a terminal, and a bridge, and says so in one line`() throws {
    let pipes = try tell("top")
    #expect(pipes.status == .exited(1))
    #expect(
      pipes.errors
        == "jackstay: top needs a terminal to draw on, and there is none; use jackstay watch, or jackstay status --json\n"
    )
    let child = try Child(
      Products.path("jackstay"), ["top"], environment: environment(folder).merging(["TERM": "xterm"]) { $1 },
      streams: .terminalWithErrors)
    #expect(try child.wait() == .exited(1))
    #expect(child.text() == "jackstay: no bridge runs; start one with: jackstay\r\n")
    let odd = try tell("top", "--tempo", "120")
    #expect(odd.status == .exited(2))
    #expect(odd.errors == "jackstay: --tempo is for a bridge that begins; leave it out here\n")
  }

  @Test func `A bridge without a server answers, and only its user may ask`() throws {
    let bridge = try bridge()
    #expect(try mode(of: "") == 0o700)
    #expect(try mode(of: "/jackstay.sock") == 0o600)
    #expect(files == ["jackstay.lock", "jackstay.sock"])

    let status = try tell("status")
    #expect(status.status.isSuccess && status.errors.isEmpty)
    let lines = status.output.split(separator: "\n")
    #expect(lines.count == 2 && lines[0] == "bridge     jackstay, waits for a JACK server, mode auto")
    #expect(lines.last?.hasPrefix("versions   jackstay ") == true)
    let mode = try tell("mode", "link")
    #expect(mode.status.isSuccess)
    #expect(mode.output == "there is no JACK server yet. The command takes effect when one runs.\n")
    let object = try JSONObject(parsing: tell("status", "--json").output.utf8)
    #expect(object["answer"] == "status" && object["mode"] == "link" && object["state"] == "waiting")
    #expect(object["process"]?.number == Double(bridge.pid))

    for words in [
      ["start"], ["stop"], ["tempo", "96"], ["tempo", "+1"], ["tempo", "tap"], ["rewind"], ["locate", "2"],
      ["downbeat", "now"],
    ] {
      let child = try Child(Products.path("jackstay"), words, environment: environment(folder))
      #expect(try child.wait() == .exited(1))
      #expect(child.text(of: .errors).hasPrefix("jackstay: there is no JACK server. Start one"))
      #expect(child.lines(of: .errors).count == 1 && child.text().isEmpty)
    }
    for words in [
      ["launch", "now"], ["discipline", "tempo"], ["latency", "0"], ["link", "off"],
      ["start-stop-sync", "off"], ["tempo-sync", "receive"], ["quantum", "8"], ["meter", "6/8"],
    ] {
      let child = try Child(Products.path("jackstay"), words, environment: environment(folder))
      #expect(try child.wait().isSuccess)
      #expect(child.text() == mode.output, "\(words)")
    }
    let kept = try JSONObject(parsing: tell("status", "--json").output.utf8)
    #expect(
      kept["launch"] == "now" && kept["discipline"] == "tempo" && kept["link"] == false
        && kept["start_stop_sync"] == false && kept["start_stop_sharing"] == "off"
        && kept["tempo_sharing"] == "receive" && kept["quantum"] == 8 && kept["meter"] == "6/8")
    let refused = try tell("start", "--json")
    #expect(refused.status == .exited(1) && refused.errors.isEmpty)
    #expect(try JSONObject(parsing: refused.output.utf8)["answer"] == "refused")
  }

  @Test(arguments: [SIGTERM, SIGINT])
  func `A bridge takes its socket with it when a signal ends it`(signal: Int32) throws {
    let bridge = try bridge()
    bridge.signal(signal)
    #expect(try bridge.wait().isSuccess)
    #expect(files == [])
  }

  @Test func `A bridge that gives up takes its socket with it`() throws {
    let child = try Child(Products.path("jackstay"), ["--no-wait"], environment: environment(folder))
    #expect(try child.wait() == .exited(1))
    #expect(child.lines(of: .errors).count == 1)
    #expect(files == [])
  }

  @Test func `The socket of a bridge that was killed belongs to no bridge, and is replaced`() throws {
    var bridge = try bridge()
    bridge.kill()
    #expect(files == ["jackstay.lock", "jackstay.sock"])
    #expect(try tell("status").errors == "jackstay: no bridge runs; start one with: jackstay\n")
    bridge = try self.bridge()
    let object = try JSONObject(parsing: tell("status", "--json").output.utf8)
    #expect(object["name"] == "jackstay" && object["process"]?.number == Double(bridge.pid))
    #expect(try mode(of: "/jackstay.sock") == 0o600)
    #expect(bridge.lines(of: .errors).count == 1)
  }

  @Test func `Of two of one name the second is found by another, and says so; who asks has to choose`() throws
  {
    let first = try bridge()
    let second = try bridge()
    #expect(
      second.lines(of: .errors).contains {
        $0.contains(
          "another bridge (process \(first.pid)) is called jackstay, so commands find this one as jackstay-2."
        )
      })
    let unclear = try tell("status")
    #expect(unclear.status == .exited(1))
    #expect(
      unclear.errors == "jackstay: 2 bridges run: jackstay, jackstay-2; choose one with --name\n")
    for (name, bridge) in [("jackstay", first), ("jackstay-2", second)] {
      for words in [["--name", name, "status", "--json"], ["status", "--json", "--name", name]] {
        let child = try Child(Products.path("jackstay"), words, environment: environment(folder))
        #expect(try child.wait().isSuccess)
        #expect(try JSONObject(parsing: child.text().utf8)["process"]?.number == Double(bridge.pid))
      }
    }
    first.terminate()
    #expect(try tell("status").output.hasPrefix("bridge     jackstay-2, "))
  }

  @Test func `A bridge that is stopped is waited for, and not for ever`() throws {
    let bridge = try bridge()
    bridge.signal(SIGSTOP)
    defer { bridge.signal(SIGCONT) }
    let start = ContinuousClock.now
    let answer = try tell("status")
    #expect(answer.status == .exited(1))
    #expect(answer.errors.hasPrefix("jackstay: the bridge \"jackstay\" does not answer; end it"))
    #expect(.now - start < .seconds(10) * Sanitizer.patience)
  }

  @Test func `A folder that others may look into is closed to them`() throws {
    try #require(mkdir("\(folder.path)/jackstay", 0o777) == 0)
    chmod("\(folder.path)/jackstay", 0o777)
    let bridge = try bridge()
    #expect(try mode(of: "") == 0o700)
    #expect(bridge.isRunning)
  }

  @Test func `A program that watches gets each event until the bridge ends`() throws {
    let bridge = try bridge()
    let watcher = try Child(
      Products.path("jackstay"), ["watch", "--json"], environment: environment(folder))
    try watcher.awaitLine { $0 == #"{"answer":"watching"}"# }
    bridge.terminate()
    #expect(try watcher.wait() == .exited(1))
    #expect(watcher.text(of: .errors) == "jackstay: the bridge \"jackstay\" has ended\n")
  }

  @Test func `Standard input understands the same words`() throws {
    let bridge = try bridge()
    try bridge.write("status\nhelp\nwatch\n")
    try bridge.awaitLine(in: .errors, "the last") { $0.contains("what happens is shown here anyway") }
    let lines = bridge.lines(of: .errors).dropFirst()
    #expect(lines.first == "bridge     jackstay, waits for a JACK server, mode auto")
    for word in Instruction.vocabulary {
      #expect(lines.contains { $0.hasPrefix("\(word.usage)  ") }, "\(word.usage)")
    }
  }
}
