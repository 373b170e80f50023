import Foundation
import Glibc
import JSON
import Settings
import Stage
import Testing

/// The program's reports on its configuration, the changes that it takes up while it runs, and the choices
/// that it remembers of a run: where no JACK server is.
@Suite(.serialized, .alone)
struct ConfigurationTests {
  private let folder: RuntimeFolder

  init() throws { folder = try RuntimeFolder() }

  private var environment: [String: String?] {
    [
      "HOME": "/nowhere", "XDG_CONFIG_HOME": folder.path, "XDG_STATE_HOME": "\(folder.path)/state",
      "JACKSTAY_STATE": nil, "JACK_DEFAULT_SERVER": "jackstay-nobody", "JACK_NO_START_SERVER": "1",
      "XDG_RUNTIME_DIR": folder.path,
    ]
  }

  private var configuration: String { "\(folder.path)/jackstay/config.toml" }
  private var state: String { "\(folder.path)/state/jackstay" }

  private func configure(_ text: String) throws {
    try FileManager.default.createDirectory(
      atPath: "\(folder.path)/jackstay", withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700])
    try Data(text.utf8).write(to: URL(filePath: configuration))
  }

  /// A bridge that waits for a server.
  private func bridge(_ flags: String...) throws -> Child {
    let bridge = try Child(Products.path("jackstay"), flags, environment: environment, streams: .pipes)
    try bridge.awaitLine(in: .errors, "the wait") { $0.contains("waiting for a JACK server") }
    return bridge
  }

  /// Runs the program, and returns what it has printed; of one that fails, its error.
  private func run(_ words: String..., also variables: [String: String?] = [:]) throws -> (
    status: Stage.ExitStatus, text: String
  ) {
    let child = try Child(
      Products.path("jackstay"), words, environment: environment.merging(variables) { $1 })
    let status = try child.wait()
    return (status, status.isSuccess ? child.text() : child.text(of: .errors))
  }

  private func status(_ words: String...) throws -> JSONObject {
    let child = try Child(Products.path("jackstay"), ["status", "--json"] + words, environment: environment)
    #expect(try child.wait().isSuccess, "\(child.text(of: .errors))")
    return try JSONObject(parsing: child.text().utf8)
  }

  private func eventually(_ holds: () throws -> Bool) rethrows -> Bool {
    for _ in 0..<1000 {
      if try holds() { return true }
      usleep(10_000)
    }
    return false
  }

  private func hangUp(_ bridge: Child) throws -> String {
    let first = bridge.lines(of: .errors).count
    bridge.signal(SIGHUP)
    return try bridge.awaitLine(in: .errors, from: first, "what was read") { $0.contains("configuration") }
      .text.withoutTime
  }

  @Test func `config check says what can be used, and what cannot in one line`() throws {
    let nothing = try run("config", "check")
    #expect(nothing.status.isSuccess)
    #expect(
      nothing.text == "no configuration file; it could be \(configuration) or /nowhere/jackstay/config.toml\n"
    )
    try configure("tempo = 100\nmode = \"link\"\n")
    #expect(try run("config", "check").text == "\(configuration): all well\n")
    #expect(try run("config", "check", configuration).text == "\(configuration): all well, options set: 2\n")
    try configure("tempo = 100\nmode = \"lnk\"\n")
    for words in [["config", "check"], ["config", "check", configuration], ["config", "show"]] {
      let child = try Child(Products.path("jackstay"), words, environment: environment)
      #expect(try child.wait() == .exited(2))
      #expect(child.text().isEmpty)
      #expect(
        child.text(of: .errors) == "jackstay: \(configuration):2:8: mode = \"lnk\": expected auto, link or "
          + "jack, for example mode = \"jack\"\n")
    }
    let missing = try run("config", "check", "/no/x.toml")
    #expect(missing.status == .exited(2))
    #expect(missing.text == "jackstay: /no/x.toml: no such file; correct the path, or leave out the file\n")
  }

  @Test func `config show names each option, its value and where that is from, as a file that can be read`()
    throws
  {
    try configure("\nlatency = 12.5\n")
    let variables: [String: String?] = ["JACKSTAY_METER": "6/8", "JACKSTAY_LINK": "false"]
    let text = try run("config", "show", "--tempo", "96", also: variables).text
    let lines = text.split(separator: "\n").map(String.init)
    #expect(lines.count == Setting.all.count)
    for (key, line) in [
      ("tempo", "tempo = 96 # flag --tempo"), ("meter", #"meter = "6/8" # environment, JACKSTAY_METER"#),
      ("link", "link = false # environment, JACKSTAY_LINK"), ("quantum", "# quantum is not set # default"),
      ("latency", "latency = 12.5 # \(configuration):2"), ("mode", #"mode = "auto" # default"#),
    ] {
      let words = lines.map { $0.split(separator: " ").joined(separator: " ") }
      #expect(words.contains(line), "\(key): \(lines)")
    }
    var settings = Settings()
    try settings.apply(ConfigurationFile(path: "shown", contents: Array(text.utf8)))
    #expect(settings.tempo?.beatsPerMinute == 96 && settings.reconciler.choices.meter.description == "6/8")
    #expect(!settings.isLinkEnabled && settings.reconciler.choices.quantum == nil)
    let objects = try run("config", "show", "--json", "--tempo", "96", also: variables).text.split(
      separator: "\n"
    )
    .map { try JSONObject(parsing: $0.utf8) }
    #expect(objects.compactMap { $0["option"]?.string } == Setting.all.map(\.key))
    #expect(objects.contains(["option": "tempo", "value": 96, "origin": "flag", "flag": "--tempo"]))
    #expect(
      objects.contains([
        "option": "link", "value": false, "origin": "environment", "variable": "JACKSTAY_LINK",
      ]))
    #expect(
      objects.contains([
        "option": "latency", "value": 12.5, "origin": "file", "path": .string(configuration), "line": 2,
      ]))
    #expect(objects.contains(["option": "quantum", "value": nil, "origin": "default"]))
    #expect(objects.contains(["option": "launch", "value": "bar", "origin": "default"]))
  }

  @Test func `On a hang-up without a terminal what has changed is taken up, and what cannot be is named`()
    throws
  {
    try configure("mode = \"link\"\n")
    let bridge = try bridge("--offset", "4")
    #expect(try hangUp(bridge) == "jackstay: read the configuration again: nothing has changed")
    try bridge.write("launch beat\n")
    try configure("mode = \"auto\"\nstart-stop-sync = false\nlink = false\noffset = 9\nname = \"other\"\n")
    #expect(
      try hangUp(bridge)
        == "jackstay: warning: read the configuration again, changed: link, start-stop-sync, mode. To change name, start "
        + "the bridge anew.")
    var status = try status()
    #expect(status["mode"] == "auto" && status["start_stop_sync"] == false && status["link"] == false)
    // A flag still wins, the name waits, and commands of meanwhile stand.
    #expect(status["offset_ms"] == 4 && status["name"] == "jackstay" && status["launch"] == "beat")
    try configure("launch = \"bar\"\nlatency = 3\nlog-level = \"error\"\nlink = tru\n")
    #expect(
      try hangUp(bridge)
        == "jackstay: error: the configuration stays as it was: \(configuration):4:8: link = "
        + "tru: expected true or false, for example link = false")
    status = try self.status()
    #expect(status["launch"] == "beat" && status["mode"] == "auto")
    #expect(bridge.terminate().isSuccess)
    // Reading it again chooses nothing that is to be remembered.
    #expect(!FileManager.default.fileExists(atPath: state))
  }

  @Test func `A choice outlasts the run, each name by itself, unless a flag or file overrides it`() throws {
    var bridge = try bridge()
    try bridge.write("offset +3.5ms\nlink off\nstart-stop-sync off\nmode link\n")
    #expect(try eventually { try self.status()["mode"] == "link" })
    #expect(bridge.terminate().isSuccess)
    #expect(try FileManager.default.contentsOfDirectory(atPath: state) == ["jackstay.toml"])
    bridge = try self.bridge()
    var status = try status()
    #expect(status["offset_ms"] == 3.5 && status["link"] == false && status["start_stop_sync"] == false)
    #expect(status["mode"] == "auto")
    // It says so as it begins, and while it runs.
    let told = bridge.lines(of: .errors).filter { $0.contains("(state, ") }
    #expect(
      told.map(\.withoutTime) == [
        "jackstay: Link is off (state, \(state)/jackstay.toml). To change that: jackstay link on",
        "jackstay: start-stop-sync is off (state, \(state)/jackstay.toml). To change that: "
          + "jackstay start-stop-sync both",
      ])
    #expect(try run("status").text.contains("\nchoices    Link off, start/stop off\n"))
    let shown = try run("config", "show", "--offset=2").text
    #expect(shown.contains("# state, \(state)/jackstay.toml\n") && shown.contains("# flag --offset\n"))
    let other = try self.bridge("--name", "other")
    #expect(try self.status("--name", "other")["offset_ms"] == 0)
    #expect(other.terminate().isSuccess)
    // It is written soon, not only at the end.
    try bridge.write("offset -2\n")
    #expect(
      eventually {
        (try? String(contentsOfFile: "\(state)/jackstay.toml", encoding: .utf8))?.contains("= -2\n") == true
      })
    bridge.kill()
    try configure("link = true\n")
    bridge = try self.bridge("--start-stop-sync", "both")
    status = try self.status()
    #expect(status["offset_ms"] == -2 && status["link"] == true && status["start_stop_sync"] == true)
    #expect(bridge.terminate().isSuccess)
    bridge = try self.bridge("--no-state")
    try bridge.write("offset 7\n")
    #expect(try eventually { try self.status()["offset_ms"] == 7 })
    #expect(bridge.terminate().isSuccess)
    bridge = try self.bridge()
    #expect(try self.status()["offset_ms"] == -2)
  }

  @Test
  func `Of two bridges of one name one is remembered, and the other says so, until the first has ended`()
    throws
  {
    let (first, second) = (try bridge(), try bridge())
    try first.write("offset 3\n")
    let isWritten = { (offset: String) in
      (try? String(contentsOfFile: "\(self.state)/jackstay.toml", encoding: .utf8))?.contains(offset) == true
    }
    #expect(eventually { isWritten("offset = 3") })
    for offset in [4, 5] { try second.write("offset \(offset)\n") }
    let line = try second.awaitLine(in: .errors, "that it is not remembered") {
      $0.contains("of this name saves its choices, so this one does not")
    }
    #expect(line.text.contains("(process \(first.pid))"), "\(line)")
    try second.write("link off\n")
    usleep(1_500_000)
    #expect(second.lines(of: .errors).filter { $0.contains("so this one does not") }.count == 1)
    #expect(isWritten("offset = 3"))
    #expect(first.terminate().isSuccess)
    #expect(isWritten("offset = 3"))
    #expect(second.terminate().isSuccess)
    #expect(isWritten("offset = 5") && isWritten("link = false"))
  }

  @Test func `A damaged state is set aside and replaced, and one that cannot be written is reported once`()
    throws
  {
    try FileManager.default.createDirectory(atPath: state, withIntermediateDirectories: true)
    try Data("offset = 1000\n".utf8).write(to: URL(filePath: "\(state)/jackstay.toml"))
    var bridge = try bridge()
    let told = bridge.lines(of: .errors).filter { $0.contains("is damaged") }
    #expect(
      told.map(\.withoutTime) == [
        "jackstay: warning: the last choices are lost, because \(state)/jackstay.toml is damaged: line 1: offset = 1000: "
          + "expected -500 to 500 milliseconds. It was renamed to \(state)/jackstay.toml.damaged."
      ])
    try bridge.write("offset 5\n")
    #expect(try eventually { try self.status()["offset_ms"] == 5 })
    #expect(bridge.terminate().isSuccess)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: state).sorted()
        == ["jackstay.toml", "jackstay.toml.damaged"])
    try FileManager.default.removeItem(atPath: "\(folder.path)/state")
    try Data().write(to: URL(filePath: "\(folder.path)/state"))
    bridge = try self.bridge()
    try bridge.write("offset 6\n")
    try bridge.awaitLine(in: .errors) {
      $0.contains(
        "jackstay: warning: the last choices are not saved: \(state)/jackstay.toml cannot be written")
    }
    try bridge.write("offset 7\n")
    usleep(1_500_000)
    #expect(bridge.terminate().isSuccess)
    #expect(bridge.lines(of: .errors).count { $0.contains("are not saved") } == 1)
  }
}
