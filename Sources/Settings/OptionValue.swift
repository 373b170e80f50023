import MusicalTime
import Reconciliation
import Words

/// The type of an option's value: how it is written, and the error where another text is.
protocol OptionValue: Sendable {
  /// All values, to follow "expected".
  static var expectation: String { get }
  /// One of them that is no option's default, as the configuration file has it.
  static var example: String { get }
  /// Those that are words, for a shell to complete.
  static var words: [String] { get }
  /// The value; `nil` when `written` is none.
  init?(_ written: WrittenValue)
}

/// The type of a value that the program's options, and so the configuration file, can have.
protocol SettingValue: OptionValue {
  /// The value as the file has it.
  var written: WrittenValue { get }
}

extension OptionValue {
  static var words: [String] { [] }

  /// The expectation where a text is none of the values, and with a point for a comma, where that is one,
  /// `prefix` and the text to write.
  static func expectation(for text: String, after prefix: String) -> String? {
    guard let value = WrittenValue.argument(text).withPoint, Self(value) != nil else { return nil }
    return "expected \(expectation), with a point: \(prefix)\(value.text?.echoed() ?? example)"
  }
}

extension Tempo: SettingValue {
  static var expectation: String { "\(range.words) beats per minute" }
  static var example: String { "128" }

  init?(_ written: WrittenValue) {
    guard let number = written.number else { return nil }
    self.init(beatsPerMinute: number)
  }

  var written: WrittenValue { .bare(beatsPerMinute.plain) }
}

extension Quantum: SettingValue {
  static var expectation: String { "\(range.words) quarter-note beats" }
  static var example: String { "8" }

  init?(_ written: WrittenValue) {
    guard let number = written.number else { return nil }
    self.init(beats: number)
  }

  var written: WrittenValue { .bare(doubleValue.plain) }
}

extension Meter: SettingValue {
  static var expectation: String { "1 to 64 beats over a note value of 1, 2, 4, 8, 16, 32 or 64" }
  static var example: String { "\"6/8\"" }

  init?(_ written: WrittenValue) {
    guard let text = written.text else { return nil }
    self.init(text)
  }

  var written: WrittenValue { .string(description) }
}

extension TicksPerBeat: SettingValue {
  static var expectation: String { "a whole number from \(range.lowerBound) to \(range.upperBound)" }
  static var example: String { "1920" }

  init?(_ written: WrittenValue) {
    guard let number = written.number.flatMap(Int.init(exactly:)) else { return nil }
    self.init(number)
  }

  var written: WrittenValue { .bare("\(count)") }
}

extension OutputLatency: SettingValue {
  static var expectation: String { "auto, none, \(range.words) milliseconds, or a port as system:playback_1" }
  static var example: String { "12.5" }
  static var words: [String] { ["auto", "none"] }

  init?(_ written: WrittenValue) {
    switch written.text {
    case "auto": self = .automatic
    case "none": self = .none
    default:
      if let port = written.text, port.isPortName {
        self = .port(port)
        return
      }
      guard let milliseconds = written.number, Self.range.contains(milliseconds),
        let interval = HostInterval(milliseconds: milliseconds)
      else { return nil }
      self = .fixed(interval)
    }
  }

  var written: WrittenValue {
    switch self {
    case .automatic: .string("auto")
    case .none: .string("none")
    case .port(let name): .string(name)
    case .fixed(let interval): .bare(interval.milliseconds.plain)
    }
  }
}

extension Offset: SettingValue {
  static var expectation: String { "\(range.words) milliseconds" }
  static var example: String { "-12.5" }

  init?(_ written: WrittenValue) {
    guard let number = written.withoutMilliseconds.number else { return nil }
    self.init(milliseconds: number)
  }

  var written: WrittenValue { .bare(interval.milliseconds.plain) }
}

extension DisciplineThreshold: SettingValue {
  static var expectation: String { "\(range.words) milliseconds" }
  static var example: String { "10" }

  init?(_ written: WrittenValue) {
    guard let number = written.number else { return nil }
    self.init(milliseconds: number)
  }

  var written: WrittenValue { .bare(interval.milliseconds.plain) }
}

extension ClickLevel: SettingValue {
  static var expectation: String { "\(range.words) decibels" }
  static var example: String { "-20" }

  init?(_ written: WrittenValue) {
    guard let number = written.number else { return nil }
    self.init(decibels: number)
  }

  var written: WrittenValue { .bare(decibels.plain) }
}

extension Bool: SettingValue {
  static var expectation: String { "true or false" }
  static var example: String { "false" }

  init?(_ written: WrittenValue) {
    switch written {
    case .bare("true"), .argument("true"): self = true
    case .bare("false"), .argument("false"): self = false
    case .argument, .string, .bare: return nil
    }
  }

  var written: WrittenValue { .bare("\(self)") }
}

extension OptionValue where Self: CaseIterable & RawRepresentable<String> {
  static var expectation: String {
    words.dropLast().joined(separator: ", ") + " or " + words.suffix(1).joined()
  }
  static var example: String { "\"\(words.last ?? "")\"" }
  static var words: [String] { allCases.map(\.rawValue) }

  init?(_ written: WrittenValue) {
    guard let text = written.text else { return nil }
    self.init(rawValue: text)
  }

  var written: WrittenValue { .string(rawValue) }
}

extension Sharing: SettingValue {
  /// Also as a switch is written: `on` for both directions.
  init?(_ written: WrittenValue) {
    switch written {
    case .bare("true"), .argument("true"), .argument("on"), .string("on"): self = .both
    case .bare("false"), .argument("false"): self = .off
    case .bare, .argument, .string:
      guard let text = written.text else { return nil }
      self.init(rawValue: text)
    }
  }
}

extension SyncMode: SettingValue {}
extension Takeover: SettingValue {}
extension LaunchMode: SettingValue {}
extension FrameAlignment: SettingValue {}
extension Relocation: SettingValue {}
extension Discipline: SettingValue {}
extension MIDIClockMode: SettingValue {}
extension MIDIClockPosition: SettingValue {}
extension ClickMode: SettingValue {}
extension Settings.Metadata: SettingValue {}
extension Settings.LogLevel: SettingValue {}

extension ClosedRange<Double> {
  /// The bounds in words, for example `20 to 999`.
  fileprivate var words: String { "\(lowerBound.plain) to \(upperBound.plain)" }
}
