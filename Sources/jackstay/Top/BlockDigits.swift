/// A number in digits that can be read from across a stage: five rows high.
enum BlockDigits {
  static let height = 5

  /// Three columns by five rows for each digit, row by row from the top left.
  private static let glyphs: [Character: [String]] = [
    "0": ["###", "# #", "# #", "# #", "###"], "1": [" # ", "## ", " # ", " # ", "###"],
    "2": ["###", "  #", "###", "#  ", "###"], "3": ["###", "  #", "###", "  #", "###"],
    "4": ["# #", "# #", "###", "  #", "  #"], "5": ["###", "#  ", "###", "  #", "###"],
    "6": ["###", "#  ", "###", "# #", "###"], "7": ["###", "  #", "  #", "  #", "  #"],
    "8": ["###", "# #", "###", "# #", "###"], "9": ["###", "# #", "###", "  #", "###"],
    ".": [" ", " ", " ", " ", "#"], "-": ["   ", "   ", "###", "   ", "   "],
  ]

  /// The rows of `number`, of `block` where they are inked. A dot twice as wide as high is a square on most
  /// screens. Other characters than digits are left out.
  static func rows(of number: String, block: Character) -> [String] {
    (0..<height).map { row in
      number.compactMap { glyphs[$0]?[row] }.map { line in
        String(line.flatMap { [$0 == "#" ? block : " ", $0 == "#" ? block : " "] })
      }.joined(separator: " ")
    }
  }
}
