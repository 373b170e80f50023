import Foundation
import Glibc
import MusicalTime
import PropertyTesting
import Reconciliation
import Testing

@testable import Settings

/// The state that outlasts a run, and its file.
@Suite struct SavedStateTests {
  private static func read(_ text: String) throws -> SavedState {
    try SavedState(ConfigurationFile(path: "state", contents: Array(text.utf8)))
  }

  @Test func `A noted state is read again as it was`() throws {
    forAll(200) { seed, random in
      var state = SavedState()
      if random.oneIn(2) { state.note(.link(random.oneIn(2))) }
      if random.oneIn(2) {
        state.note(.choose(.startStopSync(Sharing.allCases.randomElement(using: &random) ?? .both)))
      }
      if random.oneIn(2), let offset = Offset(milliseconds: .random(in: -500...500, using: &random)) {
        state.note(.offset(offset))
      }
      if random.oneIn(2), let tempo = Tempo(beatsPerMinute: .random(in: 20...999, using: &random)) {
        state.note(tempo)
      }
      for other: Instruction in [.command(.start), .tap, .status, .latency(.none)] { state.note(other) }
      #expect((try? Self.read(state.text)) == state, "seed \(seed): \(state.text)")
    }
    #expect(try Self.read("") == SavedState())
  }

  @Test func `A newer version's lines are left alone, and a file that is no state is one line`() throws {
    #expect(try Self.read("offset = 2\nphase-of-the-moon = \"full\"\n").text.hasSuffix("\noffset = 2\n"))
    for (text, fault) in [
      ("offset = 501", "line 1: offset = 501: expected -500 to 500 milliseconds"),
      ("link = true\nlink = true", "line 2: link is set more than once; keep one"),
      ("tempo = nan", "line 1: tempo = nan: expected 20 to 999 beats per minute"),
      ("\n\nrubbish", "line 3: expected a key and a value"),
      ("[table]", "line 1: expected a key and a value"),
      (
        "start-stop-sync = \"\u{1B}[2J\"",
        "line 1: start-stop-sync = \"\\u{1B}[2J\": expected both, receive, send or off"
      ),
    ] {
      #expect(throws: SettingsError(fault)) { try Self.read(text) }
    }
  }

  @Test("A session has all settings that concern the music, and knows the choices since it was saved")
  func session() throws {
    var settings = Settings()
    settings.reconciler.choices.meter = try #require(Meter(beatsPerBar: 6, beatType: 8))
    settings.latency = .none
    settings.clientName = "elsewhere"
    let saved = SavedState(ofSession: settings)
    let read = try SavedState(
      ConfigurationFile(path: "state", contents: Array(saved.text.utf8)), extent: .session)
    #expect(read == saved && !saved.text.contains("elsewhere") && !saved.text.contains("latency"))
    #expect(saved.text.contains("\nmeter = \"6/8\"\n") && saved.text.contains("\nmode = \"auto\"\n"))
    // A tempo that comes from elsewhere is kept, and is no choice.
    let tempo = try #require(Tempo(beatsPerMinute: 97))
    var state = saved
    state.note(tempo)
    #expect(!state.isChosenSince(saved) && state.text.contains("\ntempo = 97\n"))
    let choices: [Instruction] = [
      .command(.proposeTempo(tempo)), .choose(.mode(.jack)),
      .offset(try #require(Offset(milliseconds: 4))),
      .choose(.launch(.now)), .choose(.discipline(.relocate)), .link(false),
      .choose(.startStopSync(.off)), .choose(.meter(Meter("3/4")!)),
      .choose(.quantum(Quantum(beats: 7)!)),
    ]
    for choice in choices {
      var other = state
      other.note(choice)
      #expect(other.isChosenSince(saved), "\(choice)")
      #expect(!other.saved.isChosenSince(other.saved), "\(choice)")
    }
    for other: Instruction in [.latency(.none), .command(.start), .status, .imposeJACK] {
      state.note(other)
      #expect(!state.isChosenSince(saved), "\(other)")
    }
  }

  @Test func `A session's settings lie over files, and under variables and flags`() throws {
    let file = try ConfigurationFile(path: "file", contents: Array("offset = 1\nlaunch = \"now\"".utf8))
    var layers = try SettingLayers(file)
    try layers.apply(["JACKSTAY_MODE": "jack"])
    let session = try SavedState(
      ConfigurationFile(path: "s", contents: Array("offset = 2\nmode = \"link\"\nname = \"x\"".utf8)),
      extent: .session)
    layers.remember(session, at: "/s.toml")
    #expect(
      layers.settings.offset.interval.milliseconds == 2 && layers.settings.reconciler.choices.launch == .now)
    #expect(layers.settings.reconciler.choices.mode == .jack && layers.settings.clientName == "jackstay")
    #expect(layers.take(clientName: "jackstay.nABCD") && layers.settings.clientName == "jackstay.nABCD")
    for name in ["", "a:b", "a/b", String(repeating: "n", count: 64), "a\u{1B}"] {
      #expect(!layers.take(clientName: name) && layers.settings.clientName == "jackstay.nABCD")
    }
    #expect(StateFile(session: "/a/song/jackstay.nABCD")?.path == "/a/song/jackstay.nABCD.toml")
    for path in [
      "", "relative", "/a/", "/a\0b", "/a/../b", "/a/./b", "/..", "/a/b\u{1B}[2J", "/a\nb",
      "/\(String(repeating: "x", count: 4000))",
    ] {
      #expect(StateFile(session: path) == nil)
    }
  }

  private static func inFolder(_ body: (String) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "state-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    try body(folder.path(percentEncoded: false))
  }

  private static func mode(_ path: String) -> mode_t? {
    var found = stat()
    return lstat(path, &found) == 0 ? found.st_mode & 0o777 : nil
  }

  @Test func `The file is the user's alone, is replaced as a whole, and each name has its own`() throws {
    try Self.inFolder { folder in
      let file = try #require(StateFile(name: "a", environment: ["XDG_STATE_HOME": "\(folder)/deep"]))
      #expect(file.path == "\(folder)/deep/jackstay/a.toml")
      #expect(try file.read() == nil)
      var state = SavedState()
      for milliseconds in [3.5, -4] {
        state.note(.offset(try #require(Offset(milliseconds: milliseconds))))
        try file.write(state)
        #expect(try file.read() == state)
      }
      #expect(Self.mode(file.path) == 0o600 && Self.mode("\(folder)/deep/jackstay") == 0o700)
      #expect(try FileManager.default.contentsOfDirectory(atPath: "\(folder)/deep/jackstay") == ["a.toml"])
      let other = try #require(StateFile(name: "b", environment: ["XDG_STATE_HOME": "\(folder)/deep"]))
      #expect(try other.read() == nil)
    }
    #expect(StateFile(name: "a", environment: ["HOME": "/h"])?.path == "/h/.local/state/jackstay/a.toml")
    #expect(StateFile(name: "a", environment: ["XDG_STATE_HOME": "here"]) == nil)
  }

  @Test("A damaged file differs from one that cannot be read, and is set aside beside those before it")
  func damaged() throws {
    try Self.inFolder { folder in
      let file = try #require(StateFile(name: "a", environment: ["XDG_STATE_HOME": folder]))
      try file.write(SavedState())
      for (text, ending) in zip(
        ["x", "tempo = 1e9", "offset = 1\u{0}", String(repeating: "#", count: 70_000)],
        ["", ".2", ".3", ".4"])
      {
        try Data(text.utf8).write(to: URL(filePath: file.path))
        do throws(StateFile.Fault) {
          _ = try file.read()
          Issue.record("\(text.prefix(20)) was taken")
        } catch {
          guard case .damaged(let reason) = error else { throw error }
          #expect(reason.isOneLine && reason.count < 300)
        }
        #expect(try file.setAside() == "\(file.path).damaged\(ending)")
        #expect(try String(contentsOfFile: "\(file.path).damaged\(ending)", encoding: .utf8) == text)
        #expect(try file.read() == nil)
      }
      try FileManager.default.createDirectory(atPath: file.path, withIntermediateDirectories: true)
      #expect(throws: StateFile.Fault.unreadable("a directory")) { try file.read() }
      #expect(throws: SettingsError.self) { try file.write(SavedState()) }
      #expect(
        try FileManager.default.contentsOfDirectory(atPath: "\(folder)/jackstay").sorted()
          == ["a.toml"] + ["", ".2", ".3", ".4"].map { "a.toml.damaged\($0)" })
    }
  }
}
