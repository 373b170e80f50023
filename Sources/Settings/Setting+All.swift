import MusicalTime
import Reconciliation

extension Setting {
  /// Every option, in the order of the help and of the configuration file.
  public static let all: [Setting] = [
    Setting(
      key: "tempo", placeholder: "BPM",
      defaultValue: .unset("120"), example: "128",
      expectation: "\(Tempo.range.words) beats per minute",
      summary: "Tempo of a new session. A session that is already there keeps its own.",
      assign: assigning(\.tempo) { $0.number.flatMap(Tempo.init(beatsPerMinute:)) }),
    Setting(
      key: "quantum", placeholder: "BEATS",
      defaultValue: .unset("one bar of the meter"), example: "8",
      expectation: "\(Quantum.range.words) quarter-note beats",
      summary: "Length of the loop that is kept in phase with the session.",
      assign: assigning(\.quantum) { $0.number.flatMap(Quantum.init(beats:)) }),
    Setting(
      key: "meter", placeholder: "N/D",
      defaultValue: .value("\"4/4\""), example: "\"6/8\"",
      expectation: "1 to 64 beats over a note value of 1, 2, 4, 8, 16, 32 or 64",
      summary: "Time signature in which JACK counts beats and bars.",
      assign: assigning(\.meter) { $0.text.flatMap(Meter.init(_:)) }),
    Setting(
      key: "latency", placeholder: "auto|none|MS",
      defaultValue: .value("\"auto\""), example: "12.5",
      expectation: "auto, none or \(OutputLatency.range.words) milliseconds",
      summary: "Output latency to make up for, so that JACK is heard with the session. auto asks JACK.",
      assign: assigning(\.latency) { OutputLatency($0) }),
    Setting(
      key: "compensating", placeholder: "NAMES",
      defaultValue: .value("\"ardour,mixbus\""), example: "\"ardour,daw\"",
      expectation: "how names in JACK begin, separated by commas, or none",
      summary: "Programs that make up for the output latency themselves: --latency auto leaves it to them.",
      assign: assigning(\.compensatingClients) { $0.text?.namesInJACK }),
    Setting(
      key: "ticks-per-beat", placeholder: "COUNT",
      defaultValue: .value("\(TicksPerBeat.standard.count)"), example: "1920",
      expectation: "a whole number from \(TicksPerBeat.range.lowerBound) to \(TicksPerBeat.range.upperBound)",
      summary: "Resolution of the position that JACK shows. Fewer ticks place it less exactly.",
      assign: assigning(\.ticksPerBeat) { $0.wholeNumber.flatMap(TicksPerBeat.init(_:)) }),
    Setting(
      key: "name", placeholder: "NAME",
      defaultValue: .value("\"jackstay\""), example: "\"link\"",
      expectation: nameExpectation,
      summary: "Name of this client in JACK.",
      assign: assigning(\.clientName) { $0.text.flatMap { $0.isNameInJACK ? $0 : nil } }),
    Setting(
      key: "server", placeholder: "NAME",
      defaultValue: .unset("$JACK_DEFAULT_SERVER, else \"default\""), example: "\"studio\"",
      expectation: nameExpectation,
      summary: "Name of the JACK server to use.",
      assign: assigning(\.server) { $0.text.flatMap { $0.isNameInJACK ? $0 : nil } }),
    Setting(
      key: "start-stop-sync", placeholder: nil,
      defaultValue: .value("true"), example: "false",
      expectation: "true or false",
      summary: "Share starting and stopping with the session.",
      assign: assigning(\.startStopSync) { $0.truth }),
    Setting(
      key: "mode", placeholder: "auto|link|jack",
      defaultValue: .value("\"auto\""), example: "\"link\"",
      expectation: "auto, link or jack",
      summary: "Who leads tempo and beat. auto: a program that owns JACK's timebase, else Link.",
      assign: assigning(\.mode) { $0.text.flatMap(SyncMode.init(rawValue:)) }),
    Setting(
      key: "on-takeover", placeholder: "retake|yield|follow",
      defaultValue: .unset("yield with mode link, follow with mode auto"), example: "\"retake\"",
      expectation: "retake, yield or follow",
      summary: "What to do when a program takes the timebase while Link is to lead.",
      assign: assigning(\.takeover) { $0.text.flatMap(Takeover.init(rawValue:)) }),
    Setting(
      key: "launch", placeholder: "bar|beat|now",
      defaultValue: .value("\"bar\""), example: "\"beat\"",
      expectation: "bar, beat or now",
      summary: "What a start waits for in company: its place in the quantum, the next beat, or nothing.",
      assign: assigning(\.launch) { $0.text.flatMap(LaunchMode.init(rawValue:)) }),
    Setting(
      key: "frame-align", placeholder: "whole|exact|off",
      defaultValue: .value("\"whole\""), example: "\"exact\"",
      expectation: "whole, exact or off",
      summary: "Start early for programs that count frames: but whole at frame 0, or late there; or never.",
      assign: assigning(\.frameAlignment) { $0.text.flatMap(FrameAlignment.init(rawValue:)) }),
    Setting(
      key: "on-locate", placeholder: "wait|roll",
      defaultValue: .value("\"wait\""), example: "\"roll\"",
      expectation: "wait or roll",
      summary: "What to do in company when rolling JACK is put where it is out of phase.",
      assign: assigning(\.relocation) { $0.text.flatMap(Relocation.init(rawValue:)) }),
    Setting(
      key: "wait", placeholder: nil,
      defaultValue: .value("true"), example: "false",
      expectation: "true or false",
      summary: "Wait for a JACK server that is not running.",
      assign: assigning(\.waitForServer) { $0.truth }),
    Setting(
      key: "log-level", placeholder: "LEVEL",
      defaultValue: .value("\"info\""), example: "\"debug\"",
      expectation: Settings.LogLevel.words,
      summary: "Least severe messages to show.",
      assign: assigning(\.logLevel) { $0.text.flatMap(Settings.LogLevel.init(rawValue:)) }),
  ]

  private static let nameExpectation = "a name of 1 to 63 bytes without ':', '/' or control characters"

  private static func assigning<Value>(
    _ property: WritableKeyPath<Settings, Value> & Sendable,
    _ parse: @escaping @Sendable (SettingValue) -> Value?
  ) -> @Sendable (SettingValue, inout Settings) -> Bool {
    { written, settings in
      guard let value = parse(written) else { return false }
      settings[keyPath: property] = value
      return true
    }
  }

  private static func assigning<Value>(
    _ property: WritableKeyPath<Settings, Value?> & Sendable,
    _ parse: @escaping @Sendable (SettingValue) -> Value?
  ) -> @Sendable (SettingValue, inout Settings) -> Bool {
    { written, settings in
      guard let value = parse(written) else { return false }
      settings[keyPath: property] = value
      return true
    }
  }
}

extension OutputLatency {
  fileprivate init?(_ written: SettingValue) {
    switch written {
    case .argument("auto"), .string("auto"): self = .automatic
    case .argument("none"), .string("none"): self = .none
    default:
      guard let milliseconds = written.number, Self.range.contains(milliseconds),
        let interval = HostInterval(milliseconds: milliseconds)
      else { return nil }
      self = .fixed(interval)
    }
  }
}

extension Settings.LogLevel {
  fileprivate static var words: String {
    let names = allCases.map(\.rawValue)
    return names.dropLast().joined(separator: ", ") + " or " + names.suffix(1).joined()
  }
}

extension ClosedRange<Double> {
  /// The bounds in words, for example `20 to 999`.
  fileprivate var words: String { "\(lowerBound.plain) to \(upperBound.plain)" }
}

extension Double {
  fileprivate var plain: String { Int(exactly: self).map { "\($0)" } ?? "\(self)" }
}

extension String {
  /// The names in a list with commas, or none; `nil` where JACK cannot carry one of them.
  fileprivate var namesInJACK: [String]? {
    if self == "none" { return [] }
    let names = split(separator: ",", omittingEmptySubsequences: false).map {
      String($0.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
    }
    return names.allSatisfy(\.isNameInJACK) ? names : nil
  }

  /// Whether JACK can carry the name: it separates names by ':', puts them into paths, and keeps 64 bytes.
  fileprivate var isNameInJACK: Bool {
    (1...63).contains(utf8.count)
      && unicodeScalars.allSatisfy { $0 != ":" && $0 != "/" && ($0.isPrintable || $0.isJoiner) }
      && !unicodeScalars.allSatisfy(\.properties.isWhitespace)
  }
}

extension Unicode.Scalar {
  /// The two format characters that ordinary words of some scripts, and emoji, are written with.
  fileprivate var isJoiner: Bool { self == "\u{200C}" || self == "\u{200D}" }
}
