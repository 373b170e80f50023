/// How text on a screen stands out. With colours or without, it does.
enum TextStyle: Sendable, Equatable {
  case plain
  /// Text that matters most.
  case strong
  /// Text that can be overlooked.
  case faint
  /// All is well, or goes on.
  case good
  /// Something waits, or is out of the ordinary.
  case warning
  /// Something is wrong.
  case bad
  /// A bar across the screen.
  case bar
}

/// A line of a screen, cell by cell: each character takes one column.
struct StyledLine: Sendable, Equatable {
  struct Cell: Sendable, Equatable {
    var character: Character
    var style: TextStyle

    static let empty = Cell(character: " ", style: .plain)
  }

  var cells: [Cell] = []

  /// The line without its styles.
  var text: String { String(cells.map(\.character)) }

  /// A line of one style. Its characters are the program's own.
  @inline(never) init(_ text: String = "", _ style: TextStyle = .plain) {
    cells = text.map { Cell(character: $0, style: style) }
  }

  /// A line with what others have written: in place of what may move a cursor, or take two columns, there is a
  /// question mark.
  @inline(never) init(foreign text: String, _ style: TextStyle = .plain) {
    cells = text.map { Cell(character: $0.isASCII && $0 >= " " && $0 != "\u{7F}" ? $0 : "?", style: style) }
  }

  /// The line as what is no longer known to be so: nothing but a bar stands out.
  @inline(never) func dimmed() -> StyledLine {
    var line = self
    for cell in cells.indices where cells[cell].style != .bar { line.cells[cell].style = .faint }
    return line
  }

  /// The line, continued with another.
  @inline(never) static func + (line: StyledLine, other: StyledLine) -> StyledLine {
    var line = line
    line.cells += other.cells
    return line
  }

  /// The line as wide as `columns`, however long it is.
  @inline(never) func fitted(to columns: Int, _ style: TextStyle = .plain) -> StyledLine {
    var line = self
    line.cells = Array(cells.prefix(columns))
    let missing = max(0, columns - cells.count)
    line.cells += Array(repeating: Cell(character: " ", style: style), count: missing)
    return line
  }
}
