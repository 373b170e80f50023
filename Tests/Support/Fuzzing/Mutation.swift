import PropertyTesting

extension [UInt8] {
  /// Changes the text in a few places: bytes flipped, dropped, doubled, a word of `words` or a byte that
  /// parsers trip over put in, a piece copied elsewhere, the end cut off.
  public mutating func mutate(_ words: [String], _ random: inout Seeded) {
    for _ in 0..<Int.random(in: 1...3, using: &random) {
      let place = Int.random(in: 0...count, using: &random)
      switch Int.random(in: 0..<8, using: &random) {
      case 0: insert(contentsOf: (words.randomElement(using: &random) ?? "").utf8, at: place)
      case 1: insert(Self.awkward.randomElement(using: &random) ?? 0, at: place)
      case 2: insert(UInt8.random(in: 0...255, using: &random), at: place)
      case 3 where place < count: remove(at: place)
      case 4 where place < count: self[place] ^= 1 << UInt8.random(in: 0...7, using: &random)
      case 5: removeSubrange(place...)
      case 6:
        let piece = self[place..<Swift.min(count, place + Int.random(in: 1...12, using: &random))]
        insert(contentsOf: Array(piece), at: Int.random(in: 0...count, using: &random))
      default: insert(contentsOf: Self.awkwardText.randomElement(using: &random) ?? [], at: place)
      }
    }
  }

  private static let awkward: [UInt8] = [
    0, 9, 10, 13, 27, 32, 34, 39, 92, 0x7F, 0x80, 0xC0, 0xE2, 0xF4, 0xFF,
  ]

  /// Line and paragraph separators, a change of direction, joiners, a byte order mark, an unassigned scalar,
  /// half a surrogate, the longest scalar.
  private static let awkwardText: [[UInt8]] =
    ["\u{2028}", "\u{2029}", "\u{202E}", "\u{200D}", "\u{FEFF}", "\u{85}", "\u{E01EF}", "e\u{301}\u{301}"].map
  {
    Array($0.utf8)
  } + [[0xED, 0xA0, 0x80], [0xF4, 0x8F, 0xBF, 0xBF], [0xF5, 0x80, 0x80, 0x80]]
}

extension String {
  /// Whether a terminal shows the text as one line, as it is.
  public var isOneLine: Bool {
    unicodeScalars.allSatisfy {
      switch $0.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: false
      default: true
      }
    }
  }
}

extension BrokenLaw {
  /// An error is one line, of a readable length, with the expectation or the remedy.
  static func check(error line: String) throws(BrokenLaw) {
    try require(line.isOneLine, "the error is not one printable line: \(line.debugDescription)")
    try require(
      line.unicodeScalars.count <= 700, "the error has \(line.unicodeScalars.count) characters: \(line)")
    let advice = [
      "expected", "did you mean", "the options are", "keep one", "; write ", "See jackstay --help",
      "correct the path", "check its permissions",
    ]
    try require(
      (advice + ["save the file in UTF-8"]).contains { line.contains($0) },
      "the error says neither what was expected nor what to do: \(line)")
  }
}
