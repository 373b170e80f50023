import MusicalTime
import Reconciliation
import Words

/// A command to a running bridge, in the same words on all surfaces.
public enum Instruction: Sendable, Hashable {
  /// Do something in one of JACK's cycles.
  case command(Command)
  /// Have a choice hold from now on.
  case choose(Choice)
  /// Go there in the song.
  case locate(SongPlace)
  /// This is a beat of the tempo that is wanted.
  case tap
  /// Take part in Link's session, or not.
  case link(Bool)
  /// Make up for another output latency.
  case latency(OutputLatency)
  /// Impose JACK's tempo and phase on the session, once.
  case imposeJACK
  /// Have JACK heard so much later than the session.
  case offset(Offset)
  /// Switch recording in Ardour on or off.
  case record(Bool)
  /// Return the status.
  case status
  /// Send events, from now on.
  case watch
  /// List the commands.
  case help

  /// All commands, in the order of the help.
  public static let vocabulary: [CommandWord] = [
    CommandWord("status", nil, "print the state of the bridge"),
    CommandWord("watch", nil, "print each event from now on"),
    CommandWord("start", nil, "start JACK and the session"),
    CommandWord("stop", nil, "stop JACK and the session"),
    CommandWord("rewind", nil, "locate to the beginning"),
    CommandWord(
      "locate", "BAR|SECONDSs|BEATSb", "go to a bar, as 17, a time, 12.5s, or a beat, 8b", argument: "17"),
    CommandWord(
      "tempo", "BPM|+BPM|-BPM|tap", "set the session's tempo, unless JACK leads", values: ["tap"],
      argument: "126"),
    CommandWord(
      "mode", "auto|link|jack", "choose the leader, also without a server", values: SyncMode.words,
      argument: "link"),
    CommandWord("assert", nil, "move every peer to JACK's tempo and phase, once"),
    CommandWord(
      "launch", "bar|beat|now", "choose when a start rolls, with other peers", values: LaunchMode.words,
      argument: "beat"),
    CommandWord(
      "discipline", "off|relocate|tempo", "keep programs that count frames in phase",
      values: Discipline.words,
      argument: "relocate"
    ),
    CommandWord(
      "latency", "auto|none|MS|PORT", "set the output latency", values: OutputLatency.words, argument: "12.5"),
    CommandWord("offset", "MS", "make JACK heard later, as +3.5ms, or earlier", argument: "+12ms"),
    CommandWord(
      "link", "on|off", "take part in the Link session, or not", values: OnOff.words, argument: "off"),
    CommandWord(
      "tempo-sync", "both|receive|send|off", "choose the direction in which tempo is shared",
      values: Sharing.words, argument: "receive"),
    CommandWord(
      "start-stop-sync", "both|receive|send|off", "the same for starts and stops",
      values: Sharing.words, argument: "off"),
    CommandWord("meter", "N/D", "change the meter at the next bar line", argument: "7/8"),
    CommandWord(
      "quantum", "BEATS", "change the loop that is kept in phase", argument: "8"),
    CommandWord(
      "downbeat", "now|+N|-N|0", "shift JACK's bars by beats", values: ["now"],
      argument: "+1"),
    CommandWord(
      "record", "on|off", "switch recording in Ardour on or off", values: OnOff.words, argument: "on"),
    CommandWord("help", nil, "list these commands"),
  ]

  /// The instructions a running bridge takes, as a person reads about them.
  public static let usage =
    vocabulary.dropLast().map(\.usage).joined(separator: ", ") + " or "
    + vocabulary.suffix(1).map(\.usage).joined()

  /// Reads an instruction from a line that a user has typed; `nil` for an empty one.
  public init?(line: String) throws(SettingsError) {
    let words = line.split(whereSeparator: \.isWhitespace).map(String.init)
    guard let first = words.first else { return nil }
    guard let known = Instruction.vocabulary.first(where: { $0.word == first }) else {
      let meant = first.nearest(of: Instruction.vocabulary.map(\.word))
      throw SettingsError(
        "unknown command \"\(line.echoed())\"; "
          + (meant.map { "did you mean \"\($0)\"?" } ?? "expected \(Instruction.usage)"))
    }
    guard words.count == (known.parameter == nil ? 1 : 2) else {
      throw SettingsError("command \"\(line.echoed())\": expected \(known.usage)")
    }
    switch first {
    case "status": self = .status
    case "watch": self = .watch
    case "start": self = .command(.start)
    case "stop": self = .command(.stop)
    case "rewind": self = .command(.locate(0))
    case "locate": self = .locate(try Instruction.value(words))
    case "tempo": self = try Instruction.value(words, as: WantedTempo.self).instruction
    case "assert": self = .imposeJACK
    case "mode": self = .choose(.mode(try Instruction.value(words)))
    case "launch": self = .choose(.launch(try Instruction.value(words)))
    case "discipline": self = .choose(.discipline(try Instruction.value(words)))
    case "latency": self = .latency(try Instruction.value(words))
    case "offset": self = .offset(try Instruction.value(words))
    case "link": self = .link(try Instruction.value(words, as: OnOff.self) == .on)
    case "tempo-sync": self = .choose(.tempoSync(try Instruction.value(words)))
    case "start-stop-sync": self = .choose(.startStopSync(try Instruction.value(words)))
    case "quantum": self = .choose(.quantum(try Instruction.value(words)))
    case "meter": self = .choose(.meter(try Instruction.value(words)))
    case "downbeat": self = .command(.shiftDownbeat(try Instruction.value(words)))
    case "record": self = .record(try Instruction.value(words, as: OnOff.self) == .on)
    default: self = .help
    }
  }

  /// The lines that a line may become whose last word is being typed, in the order of the help. Each ends with a blank
  /// where something follows.
  public static func completions(of line: String) -> [String] {
    guard let blank = line.firstIndex(of: " ") else {
      return vocabulary.filter { $0.word.hasPrefix(line) }.map { $0.word + ($0.parameter == nil ? "" : " ") }
    }
    let known = vocabulary.first { $0.word == line[..<blank] }
    return (known?.values ?? []).map { "\(line[..<blank]) \($0)" }.filter { $0.hasPrefix(line) }
  }

  /// The value after the first word.
  private static func value<Value: OptionValue>(
    _ words: [String], as _: Value.Type = Value.self
  ) throws(SettingsError) -> Value {
    guard let value = Value(.argument(words[1])) else {
      let expectation =
        Value.expectation(for: words[1], after: "\(words[0]) ") ?? "expected \(Value.expectation)"
      throw SettingsError("\(words[0]) \(words[1].echoedAsWord()): \(expectation)")
    }
    return value
  }
}

/// Yes or no, in the words for a switch.
private enum OnOff: String, CaseIterable, OptionValue {
  case on
  case off
}

/// The requested tempo.
private enum WantedTempo: OptionValue {
  case tempo(Tempo)
  case step(TempoStep)
  case tap

  static var expectation: String { "\(Tempo.expectation), a step such as +1 or -0.5, or tap" }
  static var example: String { "128" }

  init?(_ written: WrittenValue) {
    guard written.text != "tap" else {
      self = .tap
      return
    }
    guard let number = written.number, let text = written.text else { return nil }
    if text.hasPrefix("+") || text.hasPrefix("-") {
      guard let step = TempoStep(beatsPerMinute: number) else { return nil }
      self = .step(step)
    } else {
      guard let tempo = Tempo(beatsPerMinute: number) else { return nil }
      self = .tempo(tempo)
    }
  }

  var instruction: Instruction {
    switch self {
    case .tempo(let tempo): .command(.proposeTempo(tempo))
    case .step(let step): .command(.nudgeTempo(step))
    case .tap: .tap
    }
  }
}

extension DownbeatShift: OptionValue {
  static var expectation: String { "now, a step from -64 to +64 beats such as +1 or -1, or 0" }
  static var example: String { "+1" }

  init?(_ written: WrittenValue) {
    guard let text = written.text else { return nil }
    if text == "now" {
      self = .here
    } else if text == "0" {
      self = .none
    } else {
      guard text.hasPrefix("+") || text.hasPrefix("-"), let number = written.number,
        let count = Int(exactly: number), (-64...64).contains(count)
      else { return nil }
      self = .by(count)
    }
  }
}

extension SongPlace: OptionValue {
  static var expectation: String {
    "a bar from 1 to 1000000, a time up to 1000000s, as in 12.5s, or quarter notes from the beginning, as in 8b"
  }
  static var example: String { "17" }

  init?(_ written: WrittenValue) {
    guard let text = written.text else { return nil }
    let unit = text.last.flatMap { $0 == "s" || $0 == "b" ? $0 : nil }
    guard let number = WrittenValue.argument(unit == nil ? text : String(text.dropLast())).number,
      (0...1_000_000).contains(number)
    else { return nil }
    switch unit {
    case "s": self = .seconds(number)
    case "b": self = .beats(number)
    default:
      guard let bar = Int(exactly: number), bar >= 1 else { return nil }
      self = .bar(bar)
    }
  }
}
