/// A terminal's screen as what programs write makes it: enough of one for lines that are drawn anew.
///
/// A line that is too long for a row goes on in the next, and when the width changes the lines are wrapped
/// anew, as most terminals do.
public struct TerminalScreen: Sendable {
  private var content: [[Unicode.Scalar]] = [[]]
  /// The cursor's line, and its place there.
  private var line = 0
  private var place = 0
  private var columns: Int
  /// The escape sequence so far.
  private var sequence: [Unicode.Scalar] = []

  /// An empty screen.
  public init(columns: Int) { self.columns = columns }

  /// The lines from the top, each as long as it is, however many rows it takes; without those that are empty.
  public var lines: [String] {
    content.map { line in String(String.UnicodeScalarView(line)) }.filter { !$0.isEmpty }
  }

  /// Makes the terminal wider or narrower.
  public mutating func resize(columns: Int) { self.columns = columns }

  /// Takes a program's output.
  public mutating func write(_ scalars: some Sequence<Unicode.Scalar>) {
    for scalar in scalars { write(scalar) }
  }

  private mutating func write(_ scalar: Unicode.Scalar) {
    guard sequence.isEmpty else { return goOn(scalar) }
    switch scalar {
    case "\u{1B}": sequence = [scalar]
    case "\r": place = rowStart
    case "\n": moveDown()
    case "\u{8}": place = max(rowStart, place - 1)
    case "\0"..<" ": break
    default: put(scalar)
    }
  }

  private mutating func put(_ scalar: Unicode.Scalar) {
    while content[line].count < place { content[line].append(" ") }
    if place < content[line].count {
      content[line][place] = scalar
    } else {
      content[line].append(scalar)
    }
    place += 1
  }

  /// Where the cursor's row begins in its line. At the end of a full row the cursor still belongs to that.
  private var rowStart: Int {
    let isAtEnd = place > 0 && place == content[line].count
    return (isAtEnd ? place - 1 : place) / columns * columns
  }

  private mutating func moveDown() {
    if rowStart + columns < content[line].count {
      place += columns
    } else {
      place -= rowStart
      line += 1
      if line == content.count { content.append([]) }
    }
  }

  private mutating func moveUp() {
    let column = place - rowStart
    if rowStart > 0 {
      place = rowStart - columns + column
    } else if line > 0 {
      line -= 1
      place = max(0, content[line].count - 1) / columns * columns + column
    }
  }

  private mutating func goOn(_ scalar: Unicode.Scalar) {
    sequence.append(scalar)
    guard sequence.count > 2 || scalar != "[", ("@"..."~").contains(scalar) else { return }
    let count = Int(String(String.UnicodeScalarView(sequence.dropFirst(2).dropLast())))
    sequence = []
    switch scalar {
    case "A": for _ in 0..<(count ?? 1) { moveUp() }
    case "D": place = max(rowStart, place - (count ?? 1))
    case "K": erase(to: rowStart + columns)
    case "J":
      erase(to: .max)
      content.removeSubrange((line + 1)...)
    default: break
    }
  }

  private mutating func erase(to end: Int) {
    let length = content[line].count
    guard place < length else { return }
    if end >= length {
      content[line].removeSubrange(place...)
    } else {
      for place in place..<end { content[line][place] = " " }
    }
  }
}
