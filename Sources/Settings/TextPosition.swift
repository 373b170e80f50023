/// A place in a text file, counted as editors count: lines and columns from 1, a column for each Unicode
/// scalar.
struct TextPosition: Sendable, Hashable {
  var line = 1
  var column = 1

  /// Steps over `scalar`.
  mutating func advance(over scalar: Unicode.Scalar) {
    if scalar == "\n" {
      line += 1
      column = 1
    } else {
      column += 1
    }
  }
}

extension TextPosition: CustomStringConvertible {
  /// The position as compilers print it, for example `3:14`.
  var description: String { "\(line):\(column)" }
}
