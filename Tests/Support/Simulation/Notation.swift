import MusicalTime
import Reconciliation

/// How a value is written in a history's text, and read from it: what is written is read as the same value.
struct Notation<Value>: Sendable {
  /// The name of such a value, for messages.
  let name: String
  let write: @Sendable (Value) -> String
  /// `nil` for text that is no such value.
  let read: @Sendable (Substring) -> Value?
}

extension Notation where Value: LosslessStringConvertible & Sendable {
  /// A whole number, or a meter.
  static func plain(_ name: String) -> Notation {
    Notation(name: name, write: { "\($0)" }, read: { Value(String($0)) })
  }
}

extension Notation where Value: Equatable & Sendable {
  /// One of a few values that have names.
  static func one(of names: KeyValuePairs<String, Value>) -> Notation {
    let pairs = names.map { (name: $0.key, value: $0.value) }
    return Notation(
      name: names.map(\.key).joined(separator: " or "),
      write: { value in pairs.first { $0.value == value }?.name ?? "a value without a name" },
      read: { text in pairs.first { $0.name == text }?.value })
  }
}

extension Notation where Value: CaseIterable & Sendable {
  /// A case by its name in the source.
  static func cases(_ name: String) -> Notation {
    Notation(name: name, write: { "\($0)" }, read: { text in Value.allCases.first { "\($0)" == text } })
  }
}

extension Notation {
  /// The value of a text.
  func value(_ text: Substring) throws -> Value {
    guard let value = read(text) else { throw Unreadable("\"\(text)\" is not \(name)") }
    return value
  }

  /// The value with a word after it.
  func with(unit: String) -> Notation {
    Notation(
      name: "\(name) \(unit)", write: { "\(write($0)) \(unit)" },
      read: { $0.hasSuffix(" \(unit)") ? read($0.dropLast(unit.count + 1)) : nil })
  }

  /// A value that is made from another.
  func map<Other>(
    _ make: @escaping @Sendable (Value) -> Other?, from value: @escaping @Sendable (Other) -> Value
  ) -> Notation<Other> {
    Notation<Other>(name: name, write: { write(value($0)) }, read: { read($0).flatMap(make) })
  }
}

extension Notation<Double> {
  /// Any number, as short as it can be without becoming another.
  static let number = Notation(
    name: "a number", write: { $0.rounded() == $0 && $0.magnitude < 1e15 ? "\(Int64($0))" : "\($0)" },
    read: { text in Double(text).flatMap { $0.isFinite ? $0 : nil } })
  static let beatsPerMinute = number.with(unit: "bpm")
}

extension Notation<Int64> {
  /// A number with so many digits after the point at most, and so many at least.
  static func decimal(digits: Int, least: Int = 0) -> Notation {
    let one = (0..<digits).reduce(Int64(1)) { one, _ in one * 10 }
    return Notation(
      name: "a number with at most \(digits) decimals",
      write: { number in
        let (whole, rest) = number.magnitude.quotientAndRemainder(dividingBy: UInt64(one))
        var decimals = String("\(UInt64(one) + rest)".dropFirst())
        while decimals.count > least, decimals.last == "0" { decimals.removeLast() }
        return "\(number < 0 ? "-" : "")\(whole)\(decimals.isEmpty ? "" : ".")\(decimals)"
      },
      read: { text in
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        let decimals = parts.count == 2 ? parts[1] : ""
        let isNumber = decimals.allSatisfy(\.isNumber) && (parts.count == 1 || !decimals.isEmpty)
        guard isNumber, decimals.count <= digits, !parts[0].isEmpty, parts[0] != "-" else { return nil }
        return Int64(parts[0] + decimals + String(repeating: "0", count: digits - decimals.count))
      })
  }
}

extension Notation<HostInterval> {
  static let seconds = Notation<Int64>.decimal(digits: 9, least: 3).with(unit: "s").interval
  static let milliseconds = Notation<Int64>.decimal(digits: 6).with(unit: "ms").interval
}

extension Notation<Int64> {
  fileprivate var interval: Notation<HostInterval> {
    map({ HostInterval(nanoseconds: $0) }, from: \.nanoseconds)
  }
}

extension Notation<Beats> {
  static let beats = Notation<Int64>.decimal(digits: 9).with(unit: "beats").map(
    { Beats(nanobeats: $0) }, from: \.nanobeats)
}

extension Notation<Tempo> {
  /// A tempo that a peer can have: what is written is rounded as on the wire.
  static let tempo = Notation<Double>.beatsPerMinute.map(
    { Tempo.range.contains($0) ? Tempo.bpm($0) : nil }, from: { $0.beatsPerMinute })
}

extension Notation<TransportFrame> {
  static let frame = Notation<UInt32>.plain("a frame").map({ TransportFrame($0) }, from: \.number)
}

extension Notation<Meter> {
  static let meter = Notation(name: "a meter", write: { "\($0)" }, read: { Meter(String($0)) })
}

// MARK: Words with values

/// Words with a value at each place that is marked as `{}`.
struct Pattern: Sendable {
  private let words: [String]

  init(_ text: String) {
    words = text.split(separator: "{}", omittingEmptySubsequences: false).map(String.init)
  }

  /// The values of a text that has these words; `nil` for any other.
  func values(in text: Substring) -> Values? {
    guard let first = words.first, text.hasPrefix(first) else { return nil }
    var rest = text.dropFirst(first.count)
    var values = Values()
    for word in words.dropFirst() {
      let place = word.isEmpty ? rest.endIndex..<rest.endIndex : rest.firstRange(of: word)
      guard let place else { return nil }
      values.texts.append(rest[..<place.lowerBound])
      rest = rest[place.upperBound...]
    }
    return rest.isEmpty ? values : nil
  }

  /// The values that a text has, in turn.
  struct Values {
    fileprivate(set) var texts: [Substring] = []

    mutating func next<Value>(_ notation: Notation<Value>) throws -> Value {
      let text = texts.isEmpty ? "" : texts.removeFirst()
      return try notation.value(text)
    }
  }
}

/// Text that is no part of a history.
struct Unreadable: Error {
  let problem: String

  init(_ problem: String) { self.problem = problem }
}

extension Notation<Quantum> {
  static let quantum = Notation<Double>.number.with(unit: "beats").map(
    { Quantum(beats: $0) }, from: \.doubleValue)
}
