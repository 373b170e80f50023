import MusicalTime
import Reconciliation

/// What an option takes: how it is written, and what to say where something else is.
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

extension OptionValue {
  static var words: [String] { [] }
}

extension Tempo: OptionValue {
  static var expectation: String { "\(range.words) beats per minute" }
  static var example: String { "128" }

  init?(_ written: WrittenValue) {
    guard let number = written.number else { return nil }
    self.init(beatsPerMinute: number)
  }
}

extension Quantum: OptionValue {
  static var expectation: String { "\(range.words) quarter-note beats" }
  static var example: String { "8" }

  init?(_ written: WrittenValue) {
    guard let number = written.number else { return nil }
    self.init(beats: number)
  }
}

extension Meter: OptionValue {
  static var expectation: String { "1 to 64 beats over a note value of 1, 2, 4, 8, 16, 32 or 64" }
  static var example: String { "\"6/8\"" }

  init?(_ written: WrittenValue) {
    guard let text = written.text else { return nil }
    self.init(text)
  }
}

extension TicksPerBeat: OptionValue {
  static var expectation: String { "a whole number from \(range.lowerBound) to \(range.upperBound)" }
  static var example: String { "1920" }

  init?(_ written: WrittenValue) {
    guard let number = written.number.flatMap(Int.init(exactly:)) else { return nil }
    self.init(number)
  }
}

extension OutputLatency: OptionValue {
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
}

extension MIDIClockOffset: OptionValue {
  static var expectation: String { "\(range.words) milliseconds" }
  static var example: String { "-12.5" }

  init?(_ written: WrittenValue) {
    guard let number = written.number else { return nil }
    self.init(milliseconds: number)
  }
}

extension ClickLevel: OptionValue {
  static var expectation: String { "\(range.words) decibels" }
  static var example: String { "-20" }

  init?(_ written: WrittenValue) {
    guard let number = written.number else { return nil }
    self.init(decibels: number)
  }
}

extension Bool: OptionValue {
  static var expectation: String { "true or false" }
  static var example: String { "false" }

  init?(_ written: WrittenValue) {
    switch written {
    case .bare("true"): self = true
    case .bare("false"): self = false
    case .argument, .string, .bare: return nil
    }
  }
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
}

extension SyncMode: OptionValue {}
extension Takeover: OptionValue {}
extension LaunchMode: OptionValue {}
extension FrameAlignment: OptionValue {}
extension Relocation: OptionValue {}
extension MIDIClockMode: OptionValue {}
extension ClickMode: OptionValue {}
extension Settings.LogLevel: OptionValue {}

extension ClosedRange<Double> {
  /// The bounds in words, for example `20 to 999`.
  fileprivate var words: String { "\(lowerBound.plain) to \(upperBound.plain)" }
}

extension Double {
  fileprivate var plain: String { Int(exactly: self).map { "\($0)" } ?? "\(self)" }
}
