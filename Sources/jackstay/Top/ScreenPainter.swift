/// Draws lines on a whole screen, and writes only what differs from what is there already: over a slow line
/// the rest would be in the way.
struct ScreenPainter {
  private let look: TerminalLook
  /// The lines on the screen; `nil` as long as they are unknown.
  private var drawn: [StyledLine]?
  private var columns = 0

  init(_ look: TerminalLook) { self.look = look }

  /// Other programs have written on the screen: its lines are unknown.
  mutating func forget() { drawn = nil }

  /// The characters that make the screen show `lines`, from the top; empty when it does already.
  ///
  /// There are as many lines as the screen has rows, and each is as long as it has columns.
  @inline(never) mutating func painting(_ lines: [StyledLine], columns: Int) -> String {
    var text = ""
    if drawn?.count != lines.count || self.columns != columns {
      text = "\u{1B}[0m\u{1B}[2J"
      drawn = nil
    }
    let before = drawn
    let empty = StyledLine().fitted(to: columns)
    var style: TextStyle?
    for (row, line) in lines.enumerated() {
      let old = before?[row] ?? empty
      for run in Self.runs(of: line.cells, differingFrom: old.cells) {
        text += "\u{1B}[\(row + 1);\(run.lowerBound + 1)H"
        for cell in line.cells[run] {
          if cell.style != style { text += look.code(of: cell.style) }
          style = cell.style
          text.append(cell.character)
        }
      }
    }
    (drawn, self.columns) = (lines, columns)
    return text
  }

  /// Where two lines differ. Text that is shorter than moving the cursor over it is written again.
  @inline(never) private static func runs(
    of cells: [StyledLine.Cell], differingFrom old: [StyledLine.Cell]
  ) -> [Range<Int>] {
    var runs: [Range<Int>] = []
    for column in cells.indices where column >= old.count || cells[column] != old[column] {
      if let last = runs.last, column - last.upperBound < 6 {
        runs[runs.count - 1] = last.lowerBound..<column + 1
      } else {
        runs.append(column..<column + 1)
      }
    }
    return runs
  }
}
