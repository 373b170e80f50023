import AbletonLink
import Foundation
import Settings
import Stage
import Testing

@Suite(.serialized, .alone)
struct CommandLineTests {
  @Test("Without a command, and with `run`, the program runs")
  func runs() throws {
    for words in [["--no-wait"], ["run", "--no-wait"], ["run", "--tempo", "96", "--no-wait"]] {
      let invocation = try Invocation(words.map { Array($0.utf8) })
      #expect(invocation.isTaken, "\(words): \(invocation.errors)")
    }
    let both = try Invocation("--server", "before", "run", "--no-wait")
    #expect(both.isTaken && both.errors.contains("'before'"), "\(both.errors)")
  }

  @Test func `--version names the program's version first, then Link's and JACK's`() throws {
    let lines = try Invocation("--version").output.split(separator: "\n")
    #expect(lines.first == "jackstay 0.1.0")
    #expect(lines.count == 3 && lines.dropFirst().first == "Link \(Link.release)", "\(lines)")
    #expect(lines.last?.hasPrefix("JACK ") == true)
  }

  @Test(arguments: ["--help-all"])
  func `The help goes to standard output, fits 80 columns and names every option`(word: String) throws {
    let help = try Invocation(word)
    #expect(help.status.isSuccess && help.errors.isEmpty)
    #expect(help.output.split(separator: "\n").allSatisfy { $0.count <= 80 })
    for setting in Setting.all {
      #expect(help.output.contains("\n  --\(setting.key)"))
    }
    for heading in ["USAGE:", "OPTIONS:", "Examples:", "Files:", "Commands, ", "Signals:", "Exit codes:"] {
      #expect(help.output.contains("\n\(heading)"))
    }
    #expect(try Invocation("--tempo", "96", "--help-all").output == help.output)
    // The command has the same options as the program without one.
    let run = try Invocation("run", "--help").output
    #expect(try options(of: run) == options(of: help.output))
  }

  @Test(
    "The short help has 60 lines at most, each command once, and says where the rest is",
    arguments: [["--help"], ["-h"], ["help"], ["--tempo", "96", "--help"]])
  func shortHelp(words: [String]) throws {
    let help = try Invocation(words.map { Array($0.utf8) })
    #expect(help.status.isSuccess && help.errors.isEmpty)
    let lines = help.output.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
    #expect(lines.count <= 60 && lines.allSatisfy { $0.count <= 80 }, "\(lines.count)")
    let commands =
      Instruction.vocabulary.map(\.word) + ["run", "top", "panel", "peers", "calibrate", "doctor", "config"]
    for command in commands {
      #expect(lines.count { $0.hasPrefix("  \(command) ") } == 1, "\(command)")
    }
    #expect(help.output.contains("\n  --tempo BPM ") && help.output.contains("\n  --panel off|[ADDR:]PORT "))
    #expect(help.output.contains("jackstay --help-all"))
  }

  @Test func `The help of each command begins with an example, which is a command that it takes`() throws {
    for word in Instruction.vocabulary where word.word != "help" {
      let help = try Invocation("help", word.word).output
      #expect(help.contains("\nExample:\n  jackstay \(word.example)\n"), "\(help)")
      #expect(try Instruction(line: word.example) != nil)
    }
    for word in ["run", "top", "panel", "peers", "calibrate", "doctor", "config"] {
      #expect(try Invocation("help", word).output.contains("\nExample:\n  jackstay"), "\(word)")
    }
  }

  @Test(arguments: ["status", "watch", "tempo", "top", "calibrate", "doctor"])
  func `The help of a command lists each option that it takes`(word: String) throws {
    for words in [[word, "--help"], ["help", word]] {
      let help = try Invocation(words.map { Array($0.utf8) })
      #expect(help.status.isSuccess)
      let options = try options(of: help.output)
      #expect(options.contains("\n  --name <NAME>  ") || options.hasPrefix("  --name <NAME>  "), "\(options)")
      #expect(help.output.split(separator: "\n").allSatisfy { $0.count <= 80 })
      if word == "doctor" {
        #expect(options.contains("  --server <NAME>") && options.contains("  --config <FILE>"))
      }
    }
  }

  private func options(of help: String) throws -> String {
    let options = try #require(help.split(separator: "OPTIONS:").last?.split(separator: "SUBCOMMANDS:").first)
    return options.trimmingCharacters(in: .newlines)
  }

  @Test func `Every example of the help is a command line that works`() throws {
    let lines = try Invocation("--help-all").output.split(separator: "\n")
    let examples = lines.filter { $0.hasPrefix("  jackstay") }
    #expect(examples.count >= 4)
    for example in examples {
      let words = example.dropFirst(2).prefix { $0 != "\t" }.split(separator: "  ")[0].split(separator: " ")
      let patience: [Substring] = words.contains("--no-wait") ? [] : ["--no-wait"]
      let invocation = try Invocation((words.dropFirst() + patience).map { Array($0.utf8) })
      #expect(invocation.isTaken, "\(example)")
    }
  }

  /// Values that some options take and most do not.
  static let values = ["0", "-1", "nan", "inf", "1e9", "", "text", String(repeating: "x", count: 4000)]
  static let flags = Setting.all.filter { $0.expectation != "true or false" }

  @Test("Any word after a flag is taken or answered by one line", arguments: flags)
  func everyFlag(setting: Setting) throws {
    for (number, value) in Self.values.enumerated() {
      // A value after `=` is read as one after a space is; no value at all is not.
      let joined = ["--\(setting.key)=\(value)"]
      for words in number < 2 || value.isEmpty ? [["--\(setting.key)", value], joined] : [joined] {
        let invocation = try Invocation((["--no-wait"] + words).map { Array($0.utf8) })
        if Self.isTaken(value, by: setting.key) {
          #expect(invocation.isTaken, "\(words): \(invocation.errors)")
        } else {
          expectUsageFault(invocation)
          // Nothing after `=` is no value at all.
          let expected =
            words == ["--\(setting.key)="]
            ? "Missing value for '--\(setting.key) <" : "expected \(setting.expectation), for example"
          #expect(invocation.errors.contains(expected))
        }
      }
    }
  }

  static func isTaken(_ value: String, by key: String) -> Bool {
    switch key {
    case "name", "server", "compensating": (1...63).contains(value.utf8.count)
    case "latency": value == "0"
    case "offset", "midi-clock-offset", "click-level": ["0", "-1"].contains(value)
    default: false
    }
  }

  private static let forty = String(repeating: "x", count: 40)
  static let faults: [(words: [String], line: String)] = [
    (
      ["--tempo", "1e9"],
      "The value '1e9' is invalid for '--tempo <BPM>': expected 20 to 999 beats per minute,"
    ),
    (
      ["--mode", "daw"],
      "The value 'daw' is invalid for '--mode <auto|link|jack>': expected auto, link or jack,"
    ),
    (
      ["--latency", "-5"],
      "The value '-5' is invalid for '--latency <auto|none|MS|PORT>': expected auto, none, 0"
    ),
    (["--tempp", "3"], "Unknown option '--tempp'. Did you mean '--tempo'? See jackstay --help."),
    (["--tempp=3"], "Unknown option '--tempp'. Did you mean '--tempo'? See jackstay --help."),
    (["-tempo", "3"], "Unknown option '-tempo'. Did you mean '--tempo'? See jackstay --help."),
    (["--xyzzy"], "Unknown option '--xyzzy'. See jackstay --help."),
    (["-5"], "Unknown option '-5'. See jackstay --help."),
    (["---"], "Invalid option: ---. See jackstay --help."),
    (["file"], "Unexpected argument 'file'. See jackstay --help."),
    ([""], "Unexpected argument ''. See jackstay --help."),
    (["pace", "120"], "2 unexpected arguments: 'pace', '120'. See jackstay --help."),
    (["statu"], "unknown command \"statu\"; did you mean \"status\"? See jackstay --help."),
    (["Start"], "unknown command \"Start\"; did you mean \"start\"?"),
    (["help", "foo"], "there is no command \"foo\" to explain. See jackstay --help."),
    (["help", "temp"], "unknown command \"temp\"; did you mean \"tempo\"?"),
    (["offset", "3,5"], "offset 3,5: expected -500 to 500 milliseconds, with a point: offset 3.5"),
    (
      ["--tempo", "120,5"],
      "The value '120,5' is invalid for '--tempo <BPM>': expected 20 to 999 beats per minute, with a"
    ),
    (["tempo"], "command \"tempo\": expected tempo BPM|+BPM|-BPM|tap"),
    (
      ["tempo", "fast"], "tempo fast: expected 20 to 999 beats per minute, a step such as +1 or -0.5, or tap"
    ),
    (["tempo", "-980"], "tempo -980: expected 20 to 999 beats per minute, a step such as"),
    (["tempo", "1", "2"], "command \"tempo 1 2\": expected tempo BPM|+BPM|-BPM|tap"),
    (["tempo", "--nmae", "x"], "--nmae is for a bridge that begins; leave it out here"),
    (
      ["locate", "0"],
      "locate 0: expected a bar from 1 to 1000000, a time up to 1000000s, as in 12.5s, or quarter"
    ),
    (["locate", "-1"], "locate -1: expected a bar from 1 to 1000000"),
    (["locate", "-3s"], "locate -3s: expected a bar from 1 to 1000000"),
    (["meter", "6/9"], "meter 6/9: expected 1 to 64 beats over a note value of 1, 2, 4, 8, 16, 32 or 64"),
    (["mode", "daw"], "mode daw: expected auto, link or jack"),
    (["start", "now"], "command \"start now\": expected start"),
    (["status", "--tempo", "90"], "--tempo is for a bridge that begins; leave it out here"),
    (["--quantum=8", "start"], "--quantum is for a bridge that begins; leave it out here"),
    (["--json"], "Unknown option '--json'."),
    (["run", "run"], "Unexpected argument 'run'. See jackstay --help."),
    (["--tempo", "120", "--", "x"], "Unexpected argument 'x'. See jackstay --help."),
    (["--tempo", "90", "--tempo", "90"], "--tempo is given more than once; keep one"),
    (["--tempo", "90", "run", "--tempo=91"], "--tempo is given more than once; keep one"),
    (["--no-wait", "--no-wait"], "--no-wait is given more than once; keep one"),
    (
      ["--wait", "--no-wait"],
      "Value to be set with flag '--no-wait' had already been set with flag '--wait'."
    ),
    (["--config", "a", "--config", "b"], "--config is given more than once; keep one"),
    (["--no-wait=1"], "The option '--no-wait' does not take any value, but '1' was specified. See jackstay"),
    (["--tempo"], "Missing value for '--tempo <BPM>'. See jackstay --help."),
    (["--tempo="], "Missing value for '--tempo <BPM>'. See jackstay --help."),
    (
      ["--tempo", "--quantum", "4"],
      "The value '--quantum' is invalid for '--tempo <BPM>': expected 20 to 999"
    ),
    (["--config"], "Missing value for '--config <FILE>'. See jackstay --help."),
    (["--config", ""], "--config \"\": expected the path of a file"),
    (["--config", "/no/x.toml"], "/no/x.toml: no such file; correct the path, or leave out --config"),
    (["--config", "/"], "/: a directory; expected a file such as jackstay.toml"),
    (
      ["--log-level", "a\nb\u{1B}[31m"],
      "The value 'a\\nb\\u{1B}[31m' is invalid for '--log-level <LEVEL>': expe"
    ),
    ([String(repeating: "x", count: 4096)], "Unexpected argument 'xxxx"),
    (["--" + String(repeating: "x", count: 4094)], "Unknown option '--xxxx"),
    (["--config", String(repeating: "x", count: 4096)], "xxxx"),
    (
      ["--config", String(repeating: "x", count: 100_000)],
      "argument \"\(forty)…\" is longer than 4096 bytes; see"
    ),
  ]

  @Test("A command line that cannot be used is answered by one line and exit code 2", arguments: faults)
  func fault(words: [String], line: String) throws {
    let invocation = try Invocation(words.map { Array($0.utf8) })
    expectUsageFault(invocation)
    #expect(invocation.errors.hasPrefix("jackstay: \(line)"), "\(invocation.errors)")
  }

  @Test func `Arguments that are not text are answered by one line`() throws {
    let commandLines: [[[UInt8]]] = [
      [[0xFF]], [Array("--name".utf8), [0x61, 0xC3]], [Array("--config=".utf8) + [0xED, 0xA0, 0x80]],
    ]
    for words in commandLines {
      let invocation = try Invocation(words)
      expectUsageFault(invocation)
      #expect(invocation.errors.contains("is not UTF-8 text; see jackstay --help"))
    }
  }

  @Test("The file at the customary place is read, a named one instead of it, and flags win over both")
  func files() throws {
    let home = FileManager.default.temporaryDirectory.appending(path: "jackstay-home-\(UUID().uuidString)")
    let directory = home.appending(path: ".config/jackstay")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: home) }
    let customary = directory.appending(path: "config.toml")
    let named = home.appending(path: "named.toml")
    try Data("tempo = 120\n\ntempp = 1\n".utf8).write(to: customary)
    try Data("wait = false\nserver = \"in-the-file\"\n".utf8).write(to: named)

    let faulty = try Invocation(home: home)
    expectUsageFault(faulty)
    #expect(
      faulty.errors == "jackstay: \(customary.path):3:1: unknown option \"tempp\"; did you mean \"tempo\"?\n")
    let fromFile = try Invocation("--config", named.path, home: home)
    #expect(fromFile.isTaken && fromFile.errors.contains("'in-the-file'"))
    let fromFlag = try Invocation("--config", named.path, "--server", "on-the-line", home: home)
    #expect(fromFlag.isTaken && fromFlag.errors.contains("'on-the-line'"))
  }

  private func expectUsageFault(_ invocation: Invocation) {
    #expect(invocation.status == .exited(2))
    #expect(invocation.output.isEmpty)
    #expect(invocation.isOneLine, "\(invocation.errors.prefix(400))")
  }
}
