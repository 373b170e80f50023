import Words

/// A name that JACK can carry: it separates names by ':', puts them into paths, and keeps 64 bytes.
struct JACKName: SettingValue {
  /// The name.
  let text: String

  static let expectation = "a name of 1 to 63 bytes without ':', '/' or control characters"
  static let example = "\"studio\""

  init?(_ text: String) {
    let scalars = text.unicodeScalars
    guard (1...63).contains(text.utf8.count),
      scalars.allSatisfy({ $0 != ":" && $0 != "/" && ($0.isPrintable || $0.isJoiner) }),
      !scalars.allSatisfy(\.properties.isWhitespace)
    else { return nil }
    self.text = text
  }

  init?(_ written: WrittenValue) {
    guard let text = written.text else { return nil }
    self.init(text)
  }

  var written: WrittenValue { .string(text) }
}

extension [JACKName]: OptionValue, SettingValue {
  static var expectation: String { "how names in JACK begin, separated by commas, or none" }
  static var example: String { "\"ardour,daw\"" }
  static var words: [String] { ["none"] }

  init?(_ written: WrittenValue) {
    guard let text = written.text else { return nil }
    let parts = text == "none" ? [] : text.split(separator: ",", omittingEmptySubsequences: false)
    self = parts.compactMap { JACKName($0.trimmed) }
    guard count == parts.count else { return nil }
  }

  var written: WrittenValue { .string(isEmpty ? "none" : map(\.text).joined(separator: ",")) }
}

extension Substring {
  fileprivate var trimmed: String {
    String(drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
  }
}

extension Unicode.Scalar {
  /// The two format characters that ordinary words of some scripts, and emoji, are written with.
  fileprivate var isJoiner: Bool { self == "\u{200C}" || self == "\u{200D}" }
}

extension String {
  /// Whether a port may have that full name: a client's name, a colon, and the port's own name.
  ///
  /// JACK has 319 bytes for both.
  var isPortName: Bool {
    guard (3...319).contains(utf8.count), unicodeScalars.allSatisfy({ $0.isPrintable || $0.isJoiner }),
      let colon = firstIndex(of: ":")
    else { return false }
    return colon > startIndex && index(after: colon) < endIndex
  }
}
