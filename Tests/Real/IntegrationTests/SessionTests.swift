import Foundation
import Glibc
import JSON
import Stage
import Testing

/// The bridge as a client of a session manager's: of one that the test plays, and of the New Session Manager's own
/// where that is installed.
@Suite(.serialized, .alone) struct SessionTests {
  private let folder: RuntimeFolder
  private let manager: ScriptedSessionManager

  init() throws {
    folder = try RuntimeFolder()
    manager = try ScriptedSessionManager()
  }

  /// A bridge with a MIDI clock, whose port shows the name of the bridge in JACK.
  private func bridge(
    on server: JackServer, url: String? = nil, _ more: [String: String?] = [:]
  ) throws -> Child {
    let own: [String: String?] = [
      "NSM_URL": url ?? manager.url, "XDG_RUNTIME_DIR": folder.path, "JACKSTAY_MIDI_CLOCK": "rolling",
      "XDG_STATE_HOME": "\(folder.path)/state",
    ]
    return try Child(
      Products.path("jackstay"), environment: server.environment.merging(own) { $1 }.merging(more) { $1 },
      streams: .pipes)
  }

  private func takeIn() throws -> ScriptedSessionManager.Message {
    let announcement = try manager.await("/nsm/server/announce")
    manager.send("/reply", "/nsm/server/announce", "welcome", "Stage Manager", ":server-control:")
    return announcement
  }

  /// Opens a project of that name, and waits until that is done.
  @discardableResult private func open(_ name: String) throws -> ScriptedSessionManager.Message {
    manager.send("/nsm/client/open", .text("\(folder.path)/\(name)"), .text(name), .text("jackstay.\(name)"))
    return try manager.await("/reply", "/nsm/client/open")
  }

  private func save() throws {
    manager.send("/nsm/client/save")
    try manager.await("/nsm/client/is_clean")
    try manager.await("/reply", "/nsm/client/save")
  }

  private func ports(of server: JackServer) throws -> [String] {
    let list = try Child("jack_lsp", environment: server.environment)
    #expect(try list.wait().isSuccess)
    return list.lines().filter { $0.hasPrefix("jackstay") }
  }

  private func tell(_ words: String...) throws -> (status: Stage.ExitStatus, text: String) {
    let child = try Child(
      Products.path("jackstay"), words, environment: ["XDG_RUNTIME_DIR": folder.path])
    return (try child.wait(), child.text() + child.text(of: .errors))
  }

  private func status() throws -> JSONObject {
    try JSONObject(
      parsing: tell("status", "--json").text.split(separator: "\n").first.map(String.init)?.utf8 ?? "".utf8)
  }

  /// The beginning of a session's file.
  private static let mark = "# Jackstay's part of a session\n"

  private func file(_ name: String) throws -> String {
    try String(contentsOfFile: "\(folder.path)/\(name).toml", encoding: .utf8)
  }

  @Test
  func
    `The bridge announces itself, joins JACK when the manager opens a project, and by the name it is given`()
    throws
  {
    let server = try JackServer.started()
    let bridge = try bridge(on: server)
    let announcement = try manager.await("/nsm/server/announce")
    #expect(
      announcement.arguments == ["jackstay", ":switch:dirty:message:", "jackstay", 1, 1, .number(bridge.pid)])
    usleep(200_000)
    #expect(try ports(of: server).isEmpty && DiscoveryPort.users == 0)
    manager.send("/reply", "/nsm/server/announce", "welcome", "Stage Manager", ":server-control:")
    usleep(200_000)
    #expect(try ports(of: server).isEmpty && bridge.lines(of: .errors).isEmpty)
    try open("song")
    try bridge.awaitLine(in: .errors, "JACK") { $0.contains("JACK as jackstay.song:") }
    #expect(eventually { (try? ports(of: server)) == ["jackstay.song:midi_clock"] })
    #expect(bridge.lines(of: .errors)[0].contains("the session \"song\" of Stage Manager keeps"))
    #expect(try tell("status", "--name", "jackstay.song").status.isSuccess)
    // A message that needs no answer gets none, and neither does an unknown one.
    manager.send("/nsm/client/session_is_loaded")
    manager.send("/nsm/client/show_optional_gui")
    for bytes in [
      [], [0], Array("/nsm/client/save".utf8), Array("#bundle\0".utf8), [UInt8](repeating: 255, count: 9000),
    ] {
      manager.send(bytes: bytes)
    }
    manager.send("/nsm/client/open", "only one")
    let error = try manager.await("/error", "/nsm/client/open")
    #expect(error.arguments[1] == -1 && error.texts.last?.contains("expected three texts") == true)
    manager.send("/nsm/client/open", .text("\(folder.path)/x"), "x", "a:b")
    #expect(
      try manager.await("/error", "/nsm/client/open").texts.last?.contains("JACK client's name") == true)
    #expect(try ports(of: server) == ["jackstay.song:midi_clock"])
    bridge.signal(SIGTERM)
    #expect(try bridge.wait().isSuccess)
    // Nothing was saved, so nothing is there, and nothing is remembered elsewhere.
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["jackstay"])
  }

  @Test
  func
    `A choice makes the session dirty, is saved in its folder, and is there when it is opened again`()
    throws
  {
    let server = JackServer()
    var bridge = try bridge(on: server)
    _ = try takeIn()
    try open("song")
    try save()
    let before = try file("song")
    #expect(before.contains("\nmeter = \"4/4\"\n") && before.contains("\nmidi-clock = \"rolling\"\n"))
    #expect(try tell("offset", "7.5").status.isSuccess)
    try manager.await("/nsm/client/is_dirty")
    #expect(try tell("mode", "link").status.isSuccess)
    #expect(try tell("meter", "6/8").status.isSuccess)
    #expect(try tell("quantum", "3").status.isSuccess)
    #expect(try file("song") == before)
    try save()
    // The manager got no more messages for the changes beside the offset.
    #expect(manager.messages.count { $0.address == "/nsm/client/is_dirty" } == 1)
    // Back, and forth: the manager gets each change between saved and unsaved.
    #expect(try tell("offset", "0").status.isSuccess)
    try manager.await("/nsm/client/is_dirty")
    #expect(try tell("offset", "7.5").status.isSuccess)
    try manager.await("/nsm/client/is_clean")
    #expect(bridge.terminate().isSuccess)
    let after = try file("song")
    for line in ["offset = 7.5", "mode = \"link\"", "meter = \"6/8\"", "quantum = 3"] {
      #expect(after.contains("\n\(line)\n"), "\(after)")
    }
    #expect(!FileManager.default.fileExists(atPath: "\(folder.path)/state/jackstay"))

    // A session counts more than a file, and less than a variable.
    let configuration = "\(folder.path)/configuration"
    try FileManager.default.createDirectory(
      atPath: "\(configuration)/jackstay", withIntermediateDirectories: true)
    try "offset = 1\nlaunch = \"now\"\n".write(
      toFile: "\(configuration)/jackstay/config.toml", atomically: true, encoding: .utf8)
    bridge = try self.bridge(
      on: server, ["XDG_CONFIG_HOME": configuration, "JACKSTAY_QUANTUM": "5"])
    _ = try takeIn()
    try open("song")
    let status = try status()
    #expect(status["offset_ms"] == 7.5 && status["mode"] == "link" && status["meter"] == "6/8")
    #expect(status["quantum"] == 5 && status["launch"] == "bar", "\(status)")
    #expect(bridge.terminate().isSuccess)
  }

  @Test func `Another session is another client, with that one's settings, in Link's session again`() throws {
    let server = try JackServer.started()
    let bridge = try bridge(on: server)
    _ = try takeIn()
    let two = "\(Self.mark)offset = -3\nmeter = \"3/4\"\nmidi-clock = \"always\"\n"
    try two.write(toFile: "\(folder.path)/two.toml", atomically: true, encoding: .utf8)
    try open("one")
    let scene = Scene(bridge: bridge, probe: try LinkProbe.start(server: server), server: server)
    #expect(try scene.probe.awaitState("peers 1"))
    try scene.probe.changeTempo(97)
    try scene.roll()
    for (name, offset, meter) in [("two", -3.0, "3/4"), ("one", 0, "4/4")] {
      let first = bridge.lines(of: .errors).count
      try open(name)
      try bridge.awaitLine(in: .errors, from: first, "JACK as \(name)") {
        $0.contains("as jackstay.\(name)")
      }
      try bridge.awaitLine(in: .errors, from: first, "the timebase") {
        $0.contains("the bridge owns the timebase")
      }
      #expect(try ports(of: server) == ["jackstay.\(name):midi_clock"])
      #expect(try scene.probe.awaitState("peers 1"))
      let status = try status()
      #expect(status["offset_ms"]?.number == offset && status["meter"]?.string == meter, "\(status)")
      // The session's tempo and the transport are unchanged.
      #expect(status["tempo"]?.number.map { abs($0 - 97) < 0.01 } == true, "\(status)")
      #expect(try scene.probe.awaitState("rolling"))
    }
    try scene.probe.changeTempo(120)
    try scene.rest()
    // The file is that of the session that is open.
    #expect(try tell("offset", "4").status.isSuccess)
    try save()
    #expect(try file("one").contains("\noffset = 4\n") && file("one").contains("\ntempo = 120\n"))
    #expect(try file("two") == two)
    #expect(bridge.terminate().isSuccess)
  }

  @Test func `The manager gets the notices for people, too`() throws {
    let server = try JackServer.started()
    let bridge = try bridge(on: server)
    _ = try takeIn()
    try open("song")
    try bridge.awaitLine(in: .errors, "the timebase") { $0.contains("the bridge owns the timebase") }
    server.terminate()
    let message = try manager.await("/nsm/client/message")
    #expect(message.arguments[0] == 2)
    #expect(message.texts[0].hasPrefix("the JACK server is gone"))
    #expect(try manager.await("/nsm/client/message").texts[0].hasPrefix("waiting for a JACK server"))
    #expect(bridge.terminate().isSuccess)
  }

  @Test func `A file that is damaged is set aside, and one that cannot be read or written is an error`()
    throws
  {
    let server = JackServer()
    try "\(Self.mark)offset = 1e9\n".write(
      toFile: "\(folder.path)/song.toml", atomically: true, encoding: .utf8)
    let bridge = try bridge(on: server)
    _ = try takeIn()
    #expect(
      try open("song").texts.last?.contains("It was renamed to \(folder.path)/song.toml.damaged") == true)
    try save()
    #expect(try file("song").contains("\noffset = 0\n"))
    // A folder in the file's place, before and after it was opened.
    try FileManager.default.createDirectory(
      atPath: "\(folder.path)/other.toml", withIntermediateDirectories: false)
    manager.send(
      "/nsm/client/open", .text("\(folder.path)/other"), "other", "jackstay.other")
    let unreadable = try manager.await("/error", "/nsm/client/open")
    #expect(unreadable.arguments[1] == -9 && unreadable.texts.last?.contains("a directory") == true)
    try open("third")
    try FileManager.default.createDirectory(
      atPath: "\(folder.path)/third.toml", withIntermediateDirectories: false)
    manager.send("/nsm/client/save")
    let unwritable = try manager.await("/error", "/nsm/client/save")
    #expect(unwritable.arguments[1] == -1 && unwritable.texts.last?.contains("cannot be written") == true)
    try bridge.awaitLine(in: .errors, "that it is not saved") { $0.contains("the session is not saved") }
    #expect(bridge.terminate().isSuccess)
  }

  @Test func `A file that another program wrote is neither renamed nor replaced`() throws {
    let server = JackServer()
    let others = ["mine": "offset = 1e9\n", "also": "[package]\nname = \"mine\"\n", "empty": ""]
    for (name, text) in others {
      try text.write(toFile: "\(folder.path)/\(name).toml", atomically: true, encoding: .utf8)
    }
    let bridge = try bridge(on: server)
    _ = try takeIn()
    try open("song")
    for name in others.keys {
      manager.send(
        "/nsm/client/open", .text("\(folder.path)/\(name)"), .text(name), .text("jackstay.\(name)"))
      let refused = try manager.await("/error", "/nsm/client/open")
      #expect(refused.texts.last?.contains("is not a file of Jackstay's") == true, "\(refused)")
    }
    manager.send("/nsm/client/open", .text("\(folder.path)/../x"), "x", "jackstay.x")
    #expect(
      try manager.await("/error", "/nsm/client/open").texts.last?.contains("is no path for a session's file")
        == true)
    // One that comes into the session's place later.
    try "x = 1\n".write(toFile: "\(folder.path)/song.toml", atomically: true, encoding: .utf8)
    manager.send("/nsm/client/save")
    #expect(
      try manager.await("/error", "/nsm/client/save").texts.last?.contains("is not a file of Jackstay's")
        == true)
    // A folder is the manager's to make.
    manager.send("/nsm/client/open", .text("\(folder.path)/new/song"), "song", "jackstay.new")
    try manager.await("/reply", "/nsm/client/open")
    manager.send("/nsm/client/save")
    #expect(
      try manager.await("/error", "/nsm/client/save").texts.last?.contains("cannot be written") == true)
    for (name, text) in others { #expect(try file(name) == text) }
    #expect(try file("song") == "x = 1\n")
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(Set(files) == ["jackstay", "song.toml", "mine.toml", "also.toml", "empty.toml"])
    #expect(bridge.terminate().isSuccess)
  }

  @Test func `A program that takes the port of a session manager that has ended is not obeyed`() throws {
    let server = JackServer()
    var first: ScriptedSessionManager? = try ScriptedSessionManager()
    let port = try #require(first?.port)
    let bridge = try bridge(on: server, url: first?.url)
    try first?.await("/nsm/server/announce")
    first?.send("/reply", "/nsm/server/announce", "welcome", "Stage Manager", ":server-control:")
    first?.send("/nsm/client/open", .text("\(folder.path)/song"), "song", "jackstay.song")
    try first?.await("/reply", "/nsm/client/open")
    let partner = try #require(first?.partnersPort)
    first = nil
    let second = try ScriptedSessionManager(port: port)
    second.talk(to: partner)
    second.send("/nsm/client/open", .text("\(folder.path)/other"), "other", "jackstay.other")
    try bridge.awaitLine(in: .errors, "that the manager has ended") {
      $0.contains("the session manager has ended")
    }
    second.send("/nsm/client/save")
    #expect(second.next(within: .milliseconds(300)) == nil)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["jackstay"])
    #expect(try tell("status", "--name", "jackstay.song").status.isSuccess)
    #expect(bridge.terminate().isSuccess)
  }

  @Test(arguments: [
    ("osc.tcp://127.0.0.1:4000/", "NSM_URL=osc.tcp://127.0.0.1:4000/: expected osc.udp://HOST:PORT/"),
    ("rubbish\u{1B}[2J", "NSM_URL=rubbish\\u{1b}[2J: expected osc.udp://HOST:PORT/"),
    ("osc.udp://127.0.0.1:9/", "no session manager listens at osc.udp://127.0.0.1:9/"),
    ("osc.udp://no-such-host.invalid:4000/", "is not known"),
  ])
  func `A session manager that is not there is reported in a line, and the bridge does without`(
    url: String, line: String
  ) throws {
    try expectAlone(url: url, line)
  }

  @Test
  func
    `A manager that does not answer, or rejects the bridge, is reported in a line, and the bridge does without`()
    throws
  {
    try expectAlone(url: manager.url, "no session manager answers at \(manager.url)")
    _ = manager.next()
    try expectAlone(url: manager.url, "does not take the bridge in: no session is open; open a session there")
    {
      try manager.await("/nsm/server/announce")
      manager.send("/error", "/nsm/server/announce", -6, "no session is open")
    }
    try expectAlone(url: manager.url, "Stage Manager named no session to open") { _ = try takeIn() }
  }

  /// Checks that a bridge logs one line about the session manager, and is a client like any other.
  private func expectAlone(
    url: String, _ text: String, _ answer: () throws -> Void = {}
  ) throws {
    let server = try JackServer.started()
    let bridge = try bridge(on: server, url: url)
    try answer()
    try bridge.awaitLine(in: .errors, "JACK") { $0.contains("JACK as jackstay:") }
    let lines = bridge.lines(of: .errors).filter {
      $0.contains("session manager") || $0.contains("without a session")
    }
    #expect(lines.count == 1, "\(lines)")
    #expect(lines.first?.contains("jackstay: warning: going on without a session: ") == true, "\(lines)")
    #expect(lines.first?.contains(text) == true, "\(lines)")
    #expect(bridge.terminate().isSuccess)
  }

  @Test(.enabled(if: Child.locate("nsmd") != nil, "the New Session Manager is not installed"))
  func `The New Session Manager starts it, saves, switches, closes and opens again`() throws {
    let server = try JackServer.started()
    let port = UInt16.random(in: 20_000...30_000)
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    let nsmd = try Child(
      "nsmd", ["--osc-port", "\(port)", "--session-root", "\(folder.path)/sessions"],
      environment: server.environment.merging([
        "PATH": "\(Products.directory):\(path)", "XDG_RUNTIME_DIR": folder.path, "HOME": folder.path,
        "JACKSTAY_MIDI_CLOCK": "rolling",
      ]) { $1 })
    manager.talk(to: port)
    func ask(_ address: String, _ arguments: ScriptedSessionManager.Argument...) throws {
      if let argument = arguments.first { manager.send(address, argument) } else { manager.send(address) }
      try manager.await("/reply", address)
    }
    #expect(eventually { (nsmd.text() + nsmd.text(of: .errors)).contains("Created daemon file") })
    try ask("/nsm/server/new", "song")
    try ask("/nsm/server/add", "jackstay")
    #expect(eventually { (try? ports(of: server))?.count == 1 })
    let first = try #require(try ports(of: server).first)
    #expect(first.wholeMatch(of: /jackstay\.n[A-Z]{4}:midi_clock/) != nil, "\(first)")
    #expect(try tell("offset", "12").status.isSuccess)
    try ask("/nsm/server/save")
    let folder = "\(folder.path)/sessions/song"
    let name = first.split(separator: ":")[0]
    #expect(try String(contentsOfFile: "\(folder)/\(name).toml", encoding: .utf8).contains("\noffset = 12\n"))
    let process = try status()["process"]
    // A copy has the same program, so that it is the same process that goes from one to the other, and back.
    try FileManager.default.copyItem(atPath: folder, toPath: "\(self.folder.path)/sessions/copy")
    try "\(Self.mark)offset = -5\n".write(
      toFile: "\(self.folder.path)/sessions/copy/\(name).toml", atomically: true, encoding: .utf8)
    for (session, offset) in [("copy", -5.0), ("song", 12)] {
      try ask("/nsm/server/open", .text(session))
      #expect(eventually { (try? ports(of: server)) == [first] })
      let status = try status()
      #expect(status["offset_ms"]?.number == offset && status["process"] == process, "\(status)")
    }
    try ask("/nsm/server/close")
    #expect(eventually { (try? ports(of: server))?.isEmpty == true })
    try ask("/nsm/server/open", "song")
    #expect(eventually { (try? ports(of: server)) == [first] })
    #expect(try status()["offset_ms"] == 12)
    try ask("/nsm/server/abort")
    #expect(eventually { (try? ports(of: server))?.isEmpty == true })
    nsmd.terminate()
  }
}
