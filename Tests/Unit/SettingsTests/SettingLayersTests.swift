import ArgumentParser
import Foundation
import MusicalTime
import Reconciliation
import Testing
import Words

@testable import Settings

/// Flags over the environment, over the user's file, over the system's, over the last run's state, over
/// defaults.
@Suite struct SettingLayersTests {
  private static func layers(_ environment: [String: String], flags: String...) throws -> SettingLayers {
    let places = ["XDG_CONFIG_DIRS": "/nowhere"].merging(environment) { $1 }
    return try SettingLayers(Options.parse(flags), environment: places)
  }

  private static func fault(_ environment: [String: String]) -> String? {
    do {
      _ = try layers(environment)
      return nil
    } catch {
      return "\(error)"
    }
  }

  @Test func `Of several places that set an option the strongest counts, and its place is known`() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "layers-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    func write(_ text: String, in name: String) throws -> String {
      let place = folder.appending(path: "\(name)/jackstay")
      try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
      try Data(text.utf8).write(to: place.appending(path: "config.toml"))
      return place.appending(path: "config.toml").path(percentEncoded: false)
    }
    let all = "quantum = 1\nmeter = \"1/4\"\nticks-per-beat = 1\nmidi-clock-offset = 1\nlaunch = \"beat\"\n"
    let system = try write(all, in: "system")
    let user = try write("# mine\nquantum = 2\nmeter = \"2/4\"\nticks-per-beat = 2\n", in: "user")
    let root = folder.path(percentEncoded: false)
    let environment = [
      "XDG_CONFIG_DIRS": "\(root)/system", "XDG_CONFIG_HOME": "\(root)/user", "JACKSTAY_QUANTUM": "3",
      "JACKSTAY_METER": "3/4", "JACKSTAY_TEMPO": "", "JACKSTAY_START_STOP_SYNC": "false",
    ]
    var layers = try SettingLayers(Options.parse(["--quantum", "4"]), environment: environment)
    var state = SavedState()
    state.note(.offset(try #require(Offset(milliseconds: -7))))
    state.note(.choose(.startStopSync(.both)))
    layers.remember(state, at: "/state")
    let expected: [(String, String?, SettingOrigin)] = [
      ("quantum", "4", .flag("--quantum")), ("meter", "\"3/4\"", .variable("JACKSTAY_METER")),
      ("ticks-per-beat", "2", .file(path: user, line: 4)),
      ("midi-clock-offset", "1", .file(path: system, line: 4)),
      ("launch", "\"beat\"", .file(path: system, line: 5)), ("offset", "-7", .state(path: "/state")),
      ("start-stop-sync", "\"off\"", .variable("JACKSTAY_START_STOP_SYNC")), ("tempo", nil, .standard),
      ("mode", "\"auto\"", .standard),
    ]
    for (key, literal, origin) in expected {
      #expect(try layers.literal(of: option(key)) == literal, "\(key)")
      #expect(try layers.origin(of: option(key)) == origin, "\(key)")
    }
    #expect(layers.files == [system, user])
    // A file that is named is the only one; the environment still counts.
    let named = try SettingLayers(Options.parse(["--config", user]), environment: environment)
    #expect(named.files == [user])
    #expect(
      named.settings.reconciler.choices.quantum?.doubleValue == 3
        && named.settings.reconciler.choices.launch == .bar)
  }

  @Test("Each option has a variable, which takes the flag's values", arguments: Setting.all)
  func variables(setting: Setting) throws {
    let value = setting.example.filter { $0 != "\"" }
    let layers = try Self.layers([setting.variable: value])
    #expect(layers.settings == (try settings(file: setting.fileExample)))
    #expect(layers.origin(of: setting) == .variable(setting.variable) && layers.count == 1)
    for wrong in ["\u{1}", " ", "\u{FFFD}", "a\nb:", String(repeating: "x", count: 5000)] {
      let line = try #require(Self.fault([setting.variable: wrong]), "\(wrong.echoed())")
      #expect(line.hasPrefix("\(setting.variable)=") && line.isOneLine && line.count < 400, "\(line)")
      #expect(line.contains("expected \(setting.expectation), for example \(setting.variable)="))
    }
  }

  @Test func `A variable that is misspelt is reported, and another program's is left alone`() {
    #expect(
      Self.fault(["JACKSTAY_TMEPO": "1"]) == "JACKSTAY_TMEPO: unknown option; did you mean JACKSTAY_TEMPO?")
    #expect(
      Self.fault(["JACKSTAY_MIDICLOCK": "1"])
        == "JACKSTAY_MIDICLOCK: unknown option; did you mean JACKSTAY_MIDI_CLOCK?")
    for other in ["JACKSTAY_", "JACKSTAY_HOME_OF_THE_BRAVE", "JACKSTAYTEMPO", "TEMPO"] {
      #expect(Self.fault([other: "nonsense"]) == nil, "\(other)")
    }
  }

  @Test("The value of an option is written as it can be read again", arguments: FlagTests.edges)
  func literals(key: String, good: [String], bad: [String]) throws {
    let setting = try option(key)
    for value in good + [setting.example.filter { $0 != "\"" }] {
      let layers = try Self.layers([setting.variable: value])
      let literal = try #require(layers.literal(of: setting))
      #expect(try settings(file: "\(key) = \(literal)") == layers.settings, "\(value): \(literal)")
    }
  }

  @Test func `Odd values are written in plain decimal, and texts with their quotes escaped`() throws {
    for (key, value, literal) in [
      ("offset", "-0.000001", "-0.000001"), ("latency", "0.00001", "0.00001"), ("tempo", "126.53", "126.53"),
      ("offset", "+3.5ms", "3.5"), ("click-level", "-0.000000001", "-0.000000001"),
      ("name", #"a\"b"#, #""a\\\"b""#), ("compensating", "none", "\"none\""),
    ] {
      let setting = try option(key)
      let layers = try Self.layers([setting.variable: value])
      #expect(layers.literal(of: setting) == literal)
      #expect(try settings(file: "\(key) = \(literal)") == layers.settings)
    }
  }

  @Test func `A change that a running bridge can take is an instruction, and the rest is known`() throws {
    let before = try Self.layers([:])
    let after = try Self.layers(
      ["JACKSTAY_OFFSET": "4", "JACKSTAY_MODE": "jack", "JACKSTAY_TEMPO": "90"], flags: "--no-link")
    #expect(before.changes(to: after).map(\.key) == ["tempo", "offset", "link", "mode"])
    #expect(after.changes(to: after).isEmpty)
    let live = Setting.all.compactMap { $0.instruction(after.settings) }
    #expect(
      live == [
        .choose(.meter(.common)), .latency(.automatic), .offset(try #require(Offset(milliseconds: 4))),
        .link(false),
        .choose(.tempoSync(.both)), .choose(.startStopSync(.both)), .choose(.mode(.jack)),
        .choose(.launch(.bar)),
        .choose(.discipline(.off)),
      ])
  }
}
