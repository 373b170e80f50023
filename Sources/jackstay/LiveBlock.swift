/// The lines at the bottom of a terminal that are drawn anew again and again: the live line and, while a user
/// types, the typed line.
///
/// A terminal that is made narrower wraps what it shows, and the cursor is then further below the block's
/// beginning than where it was drawn.
struct LiveBlock {
  /// How many columns each drawn line has, from above; of the last one as far as the cursor.
  private var drawn: [Int] = []

  /// The characters that take the block off a terminal of `columns`, and leave the cursor where it began.
  mutating func erasing(columns: Int) -> String {
    guard !drawn.isEmpty else { return "" }
    let rows = drawn.reduce(0) { $0 + max(1, ($1 + columns - 1) / columns) }
    drawn = []
    return "\r" + (rows > 1 ? "\u{1B}[\(rows - 1)A" : "") + "\u{1B}[J"
  }

  /// The characters that draw the block from where the cursor is: the live line, and below it the line that
  /// is being typed, with the cursor so many columns left of its end. Where not all of it fits, its end is
  /// shown, or the part left of the cursor. Empty lines are left out.
  mutating func drawing(live: String, typed: String, afterCursor: Int = 0, columns: Int) -> String {
    // The last column stays free: what fills it wraps in some terminals.
    let width = max(1, columns - 1)
    let hidden = afterCursor < width ? 0 : afterCursor
    let lines = [String(live.prefix(width)), String(typed.dropLast(hidden).suffix(width))].filter {
      !$0.isEmpty
    }
    let back = typed.isEmpty ? 0 : afterCursor - hidden
    drawn = lines.map(\.count)
    if back > 0, let last = drawn.last { drawn[drawn.count - 1] = max(1, last - back + 1) }
    return lines.joined(separator: "\n") + (back > 0 ? "\u{1B}[\(back)D" : "")
  }

  /// Others have written on the terminal: where the block was is not known any more.
  mutating func forget() { drawn = [] }
}
