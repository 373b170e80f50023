import Words

/// A message of Ardour's WebSockets surface that concerns tempo and transport. Pure.
///
/// It is a JSON object with the name of a node, and where it tells or sets something a list of values.
public enum ArdourMessage: Sendable, Hashable {
  /// The tempo of the first marker: notes per minute, of that marker's note value.
  case tempo(Double)
  /// The playhead, in seconds.
  case time(Double)
  /// How far into its beat the playhead is, in ticks: 1920 to the quarter note.
  case tick(Int)
  /// Whether the transport rolls.
  case roll(Bool)
  /// Whether recording is switched on.
  case record(Bool)
  /// Something else, such as a strip's level.
  case other

  /// How many ticks a quarter note has.
  public static let ticksPerQuarter = 1920.0

  /// Reads a text of Ardour's; `nil` where it is no message.
  public init?(_ text: [UInt8]) {
    // Levels come all the time.
    guard !text.starts(with: Self.strips) else {
      self = .other
      return
    }
    var reader = NodeReader(text)
    guard let (node, values) = reader.message() else { return nil }
    switch (node, values.first) {
    case ("transport_tempo", .number(let tempo)) where tempo > 0: self = .tempo(tempo)
    case ("transport_time", .number(let time)): self = .time(time)
    case ("transport_bbt", .text(let place)):
      // Bar, beat and tick, with bars between them.
      let parts = place.split(separator: "|", omittingEmptySubsequences: false)
      guard parts.count == 3, let tick = Int(parts[2]), (0..<7680).contains(tick) else { return nil }
      self = .tick(tick)
    case ("transport_roll", .truth(let rolls)): self = .roll(rolls)
    case ("transport_record", .truth(let records)): self = .record(records)
    case (let node, _) where Self.read.contains(node): return nil
    default: self = .other
    }
  }

  private static let strips = Array(#"{"node":"strip_"#.utf8)
  private static let read: Set<String> = [
    "transport_tempo", "transport_time", "transport_bbt", "transport_roll", "transport_record",
  ]
}

/// A message to Ardour.
public enum ArdourRequest: Sendable, Hashable {
  /// The way in which a tempo is written.
  public enum Notation: Sendable, Hashable {
    /// As a number, which Ardour 9.0 and newer cut to a whole one.
    case number
    /// As a text that is no whole number from the beginning: `".1265e3"`.
    case text
  }

  /// Have the first marker's tempo be this one.
  case setTempo(Double, Notation)
  /// Tell the tempo.
  case askTempo
  /// Switch recording on or off.
  case record(Bool)
  /// Tell whether recording is on.
  case askRecord

  /// The message.
  public var text: String {
    switch self {
    case .setTempo(let tempo, .number):
      #"{"node":"transport_tempo","val":[\#(tempo.formatted(decimals: 6))]}"#
    case .setTempo(let tempo, .text):
      #"{"node":"transport_tempo","val":["\#((tempo / 1000).formatted(decimals: 9).drop { $0 == "0" })e3"]}"#
    case .askTempo: #"{"node":"transport_tempo"}"#
    case .askRecord: #"{"node":"transport_record"}"#
    case .record(let isOn): #"{"node":"transport_record","val":[\#(isOn)]}"#
    }
  }
}

/// Reads one JSON object of Ardour's: names with values, and with lists of values.
struct NodeReader {
  /// A value.
  enum Value: Hashable {
    case text(String)
    case number(Double)
    case truth(Bool)
    case null
  }

  private let bytes: [UInt8]
  private var index = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// The name of the node, and the values; `nil` where the bytes are no such object, or have something after it.
  mutating func message() -> (node: String, values: [Value])? {
    guard skip("{") else { return nil }
    var node: String?
    var values: [Value]?
    repeat {
      guard case .text(let name)? = value(), skip(":") else { return nil }
      switch name {
      case "node":
        guard node == nil, case .text(let text)? = value() else { return nil }
        node = text
      case "val":
        guard values == nil, let list = list() else { return nil }
        values = list
      default: guard (next == UInt8(ascii: "[") ? list() != nil : value() != nil) else { return nil }
      }
    } while skip(",")
    guard skip("}"), next == nil, let node else { return nil }
    return (node, values ?? [])
  }

  private mutating func list() -> [Value]? {
    guard skip("[") else { return nil }
    var values: [Value] = []
    if skip("]") { return values }
    repeat {
      guard let value = value() else { return nil }
      values.append(value)
    } while skip(",")
    return skip("]") ? values : nil
  }

  private mutating func value() -> Value? {
    switch next {
    case UInt8(ascii: "\""): return text()
    case UInt8(ascii: "t"): return word("true", .truth(true))
    case UInt8(ascii: "f"): return word("false", .truth(false))
    case UInt8(ascii: "n"): return word("null", .null)
    default: return number()
    }
  }

  /// A text, whose escapes are left as they are: no name and no value that is read has any.
  private mutating func text() -> Value? {
    index += 1
    let start = index
    while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
      index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
    }
    guard index < bytes.count, let text = String(validating: bytes[start..<index], as: UTF8.self) else {
      return nil
    }
    index += 1
    return .text(text)
  }

  private mutating func number() -> Value? {
    let start = index
    while index < bytes.count, "+-.0123456789eE".utf8.contains(bytes[index]) { index += 1 }
    guard let number = Double(String(decoding: bytes[start..<index], as: UTF8.self)), number.isFinite else {
      return nil
    }
    return .number(number)
  }

  private mutating func word(_ word: String, _ value: Value) -> Value? {
    guard bytes[index...].starts(with: word.utf8) else { return nil }
    index += word.utf8.count
    return value
  }

  /// The byte that comes next, but for blanks.
  private var next: UInt8? {
    mutating get {
      while index < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[index]) { index += 1 }
      return index < bytes.count ? bytes[index] : nil
    }
  }

  private mutating func skip(_ character: Unicode.Scalar) -> Bool {
    guard next == UInt8(ascii: character) else { return false }
    index += 1
    return true
  }
}
