import ArgumentParser
import JSON
import MusicalTime
import PropertyTesting
import Reconciliation
import Settings

/// Values as people write them, right and wrong, for every option.
public enum Vocabulary {
  static let numbers = [
    "120", "20", "999", "19.999", "999.001", "0", "-1", "+128.5", "1e2", "1e999", "nan", "inf", "-inf",
    "0x40", "0b1",
    "1_000", "128.", ".5", "9223372036854775807", "9223372036854775808", "1e-320", "00120",
    "1.7976931348623157e308",
    "0.125", "1024", "1024.1", "12.5", "10000", "1920", "10000000", "1.0",
  ]
  static let words = [
    "auto", "link", "jack", "none", "retake", "yield", "follow", "bar", "beat", "now", "on", "off", "true",
    "false",
    "trace", "debug", "info", "notice", "warning", "error", "4/4", "6/8", "64/64", "65/4", "3/0", "7/", "/8",
    "4/4/4",
    "studio", "a:b", "a/b", "", " ", "é", "名前", "--tempo", "--config=x", "--no-wait", "--help", "--",
  ]
  static let keys = Setting.all.map(\.key)

  static func value(_ random: inout Seeded) -> String {
    ((random.oneIn(2) ? numbers : words).randomElement(using: &random)) ?? ""
  }

  /// The words of a flag with a value of the option's own kind, or with another.
  public static func flag(_ setting: Setting, _ random: inout Seeded) -> [String] {
    guard setting.expectation != "true or false" else {
      return [random.oneIn(2) ? "--\(setting.key)" : "--no-\(setting.key)"]
    }
    let value = random.oneIn(8) ? self.value(&random) : setting.example.filter { $0 != "\"" }
    return random.oneIn(2) ? ["--\(setting.key)", value] : ["--\(setting.key)=\(value)"]
  }
}

extension Settings {
  /// No value outside its range can come out of any input.
  func check() throws(BrokenLaw) {
    let bridge = bridge
    if let tempo = bridge.tempo {
      try require(Tempo.range.contains(tempo.beatsPerMinute), "a tempo of \(tempo.beatsPerMinute) was taken")
    }
    let beats = bridge.reconciler.choices.wantedQuantum.doubleValue
    try require((0.0625...1024).contains(beats), "a quantum of \(beats) was taken")
    let ticks = bridge.reconciler.ticksPerBeat.count
    try require(TicksPerBeat.range.contains(Int(ticks)), "\(ticks) ticks were taken")
    if case .fixed(let time) = bridge.latency {
      try require(
        OutputLatency.range.contains(time.milliseconds), "a latency of \(time.milliseconds) ms was taken")
    }
    for name in [bridge.clientName, bridge.server ?? "x"] {
      try require((1...63).contains(name.utf8.count), "a name of \(name.utf8.count) bytes was taken")
      try require(
        !name.utf8.contains { $0 < 32 || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "/") },
        "the name \(name.debugDescription) was taken")
    }
  }
}

extension FuzzTarget {
  /// The configuration file: its lines, and the options that they set.
  static let configuration = FuzzTarget(
    name: "configuration", longest: 4096,
    generate: { random in
      var text: [String] = []
      for setting in Setting.all.shuffled(using: &random).prefix(Int.random(in: 0...5, using: &random)) {
        let value =
          random.oneIn(12)
          ? (random.oneIn(2) ? Vocabulary.value(&random) : "\"\(Vocabulary.value(&random))\"")
          : setting.example
        text.append("\(random.oneIn(20) ? "\"\(setting.key)\"" : setting.key) = \(value)")
        if random.oneIn(6) { text.append("# \(Vocabulary.value(&random))") }
      }
      if random.oneIn(10) { text.append(toml.randomElement(using: &random) ?? "") }
      var bytes = Array(text.joined(separator: random.oneIn(8) ? "\r\n" : "\n").utf8)
      if random.oneIn(2) { bytes.mutate(toml + Vocabulary.keys + Vocabulary.numbers, &random) }
      return bytes
    },
    check: { bytes throws(BrokenLaw) in
      try verdict { () throws(SettingsError) in
        var settings = Settings()
        try settings.apply(ConfigurationFile(path: "c.toml", contents: bytes))
        return settings
      }
    })

  /// The grammar of TOML beyond key and value.
  private static let toml = [
    "[table]", "[[array]]", "[a.b.c]", "a.b.c = 1", "{ a = 1, b = \"x\" }", "[1, [2, [3]]]",
    "\"\"\"\nx\\\n  y\"\"\"",
    "'''x'''", "\"\\u0041\\U0001F3B5\"", "\"\\u0000\"", "\"\\uD800\"", "\"\\x41\\e\"", "1979-05-27T07:32:00Z",
    "1979-05-27 07:32:00.999999-07:00", "07:32:00", "1979-05-27", "0o755", "0xDEAD_BEEF", "inf", "-nan",
    "1__0", "+0.0",
    "[", "]", "{", "}", "=", ".", ",", "\"", "'", "\\", "#", "= ", "\"\"\"", "'''", "[[", "]]", "\r\n",
  ]
}

extension FuzzTarget {
  /// The words of a command line, one a line.
  static let flags = FuzzTarget(
    name: "flags", longest: 1024, cost: 30,
    generate: { random in
      let settings = Setting.all.shuffled(using: &random).prefix(Int.random(in: 1...4, using: &random))
      let words = settings.flatMap { Vocabulary.flag($0, &random) }
      var bytes = Array(words.joined(separator: "\n").utf8)
      if random.oneIn(3) { bytes.mutate(Vocabulary.numbers + Vocabulary.words, &random) }
      return bytes
    },
    check: { bytes throws(BrokenLaw) in
      let lines = String(decoding: bytes, as: UTF8.self).split(
        separator: "\n", omittingEmptySubsequences: false)
      let options: Options
      do {
        options = try Options.parse(lines.map(String.init))
      } catch {
        if !Options.exitCode(for: error).isSuccess {
          try BrokenLaw.check(error: SettingsError(refusal: Options.message(for: error)).description)
        }
        return .refused
      }
      return try verdict { () throws(SettingsError) in try Settings(options, environment: [:]) }
    })

  /// The commands on standard input, in pieces as a pipe delivers them.
  static let commands = FuzzTarget(
    name: "commands", longest: 1024,
    generate: { random in
      let lines = (0..<Int.random(in: 1...3, using: &random)).map { _ in
        switch Int.random(in: 0..<12, using: &random) {
        case 0: ""
        case 1: Vocabulary.value(&random)
        case 2: String(repeating: Vocabulary.value(&random), count: Int.random(in: 1...80, using: &random))
        case 3: "tempo \(Vocabulary.numbers.randomElement(using: &random) ?? "")"
        case 4...6, 8: "tempo \(Double.random(in: 15...1010, using: &random))"
        case 7:
          Instruction.vocabulary.filter { $0.parameter == nil }.randomElement(using: &random)?.word ?? ""
        default: "mode \(["auto", "link", "jack"].randomElement(using: &random) ?? "")"
        }
      }
      var bytes = Array(lines.joined(separator: random.oneIn(8) ? "\r\n" : "\n").utf8)
      if random.oneIn(2) { bytes.append(UInt8(ascii: "\n")) }
      if random.oneIn(2) {
        bytes.mutate(["tempo", "mode", "start", " ", "\t"] + Vocabulary.numbers, &random)
      }
      return bytes
    },
    check: { bytes throws(BrokenLaw) in
      var reader = CommandReader()
      var lines = reader.take(bytes)
      if let line = reader.end() { lines.append(line) }
      try require(
        lines.count <= bytes.count { $0 == UInt8(ascii: "\n") } + 1,
        "\(lines.count) commands in too few lines")

      var pieces: [CommandReader.Line] = []
      let length = 1 + bytes.count % 7
      for start in stride(from: 0, to: bytes.count, by: length) {
        pieces += reader.take(bytes[start..<min(start + length, bytes.count)])
      }
      if let line = reader.end() { pieces.append(line) }
      try require(lines == pieces, "the same bytes in pieces are other commands: \(lines) and \(pieces)")

      var verdict = Verdict.refused
      for line in lines {
        let instruction: Instruction?
        do throws(SettingsError) {
          instruction = try Instruction(line: line.get())
        } catch {
          try BrokenLaw.check(error: error.description)
          continue
        }
        try require(instruction != nil, "a line without words is a command")
        if case .command(.proposeTempo(let tempo)) = instruction {
          try require(
            Tempo.range.contains(tempo.beatsPerMinute), "a tempo of \(tempo.beatsPerMinute) was taken")
        }
        verdict = .accepted
      }
      return verdict
    })

  /// Lines that other processes send to the control socket: flat JSON, one object a line, with a command in
  /// it.
  static let control = FuzzTarget(
    name: "control", longest: 1024,
    generate: { random in
      let word = Instruction.vocabulary.randomElement(using: &random)?.word ?? ""
      let value = random.oneIn(2) ? " \(Vocabulary.value(&random))" : ""
      var object: JSONObject = ["command": .string(word + value)]
      if random.oneIn(2) { object["id"] = .number(.random(in: -1e9...1e9, using: &random)) }
      if random.oneIn(4) { object[Vocabulary.value(&random)] = .string(Vocabulary.value(&random)) }
      var bytes = Array(object.line.utf8)
      if random.oneIn(2) {
        bytes.mutate(
          ["{", "}", "\"", "\\", "\\u", "d83c", ":", ",", "null", "[", "\"command\":"] + Vocabulary.numbers,
          &random)
      }
      return bytes
    },
    check: { bytes throws(BrokenLaw) in
      let object: JSONObject
      do throws(JSONFault) {
        object = try JSONObject(parsing: bytes)
      } catch {
        try BrokenLaw.check(error: error.description)
        return .refused
      }
      try require(
        (try? JSONObject(parsing: object.line.utf8)) == object, "\(object.line) is not what was read")
      try require(!object.line.utf8.contains { $0 < 32 || $0 == 127 }, "control characters in \(object.line)")
      try require(
        object.members.allSatisfy { $0.value.number?.isFinite ?? true }, "no finite number in \(object.line)")
      guard let command = object["command"]?.string else { return .refused }
      do throws(SettingsError) {
        return try Instruction(line: command) == nil ? .refused : .accepted
      } catch {
        try BrokenLaw.check(error: error.description)
        return .refused
      }
    })

  private static func verdict(_ parse: () throws(SettingsError) -> Settings) throws(BrokenLaw) -> Verdict {
    let settings: Settings
    do {
      settings = try parse()
    } catch {
      try BrokenLaw.check(error: error.description)
      return .refused
    }
    try settings.check()
    try require((try? parse()) == settings, "one text makes two settings")
    return .accepted
  }
}
