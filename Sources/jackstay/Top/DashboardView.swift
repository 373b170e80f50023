import JSON

/// The dashboard as lines of a screen: what it knows, how large the screen is and what that can show is all
/// that they depend on.
struct DashboardView {
  /// As many lines as the screen has rows, each as long as it has columns.
  let lines: [StyledLine]

  /// - Parameters:
  ///   - dashboard: The dashboard's knowledge of the bridge.
  ///   - microseconds: Now, in Link's host time.
  ///   - columns: How wide the screen is.
  ///   - rows: How high it is.
  ///   - look: The terminal's abilities.
  @inline(never) init(
    _ dashboard: Dashboard, at microseconds: Double, columns: Int, rows: Int, _ look: TerminalLook
  ) {
    let page = DashboardPage(dashboard: dashboard, now: microseconds, columns: columns, look: look)
    let sections = dashboard.showsHelp ? page.help : page.sections(rows: rows)
    let footer = page.footer
    lines = Self.arranged(sections, footer, columns: columns, rows: rows)
  }

  /// As many sections as there is room for: those that matter least go first. The footer is at the bottom.
  @inline(never) private static func arranged(
    _ sections: [DashboardSection], _ footer: [DashboardSection], columns: Int, rows: Int
  ) -> [StyledLine] {
    var kept = sections.map { ($0, isFooter: false) } + footer.map { ($0, isFooter: true) }
    while kept.reduce(0, { $0 + $1.0.lines.count }) > rows,
      let last = kept.indices.max(by: { kept[$0].0.rank < kept[$1].0.rank })
    {
      // A list gets shorter before it goes.
      if kept[last].0.isList, kept[last].0.lines.count > 1 {
        kept[last].0.lines.removeFirst()
      } else {
        kept.remove(at: last)
      }
    }
    let top = kept.filter { !$0.isFooter }.flatMap(\.0.lines)
    let bottom = kept.filter(\.isFooter).flatMap(\.0.lines)
    let gap = Array(repeating: StyledLine(), count: max(0, rows - top.count - bottom.count))
    return (top + gap + bottom).map { $0.fitted(to: columns, $0.cells.last?.style == .bar ? .bar : .plain) }
  }
}

/// Some lines that are on the screen together or not at all.
struct DashboardSection {
  /// The lower, the longer it stays on a screen that gets smaller.
  let rank: Int
  /// Whether it may lose lines from the top.
  var isList = false
  var lines: [StyledLine]

  /// The same, as what is no longer known to be so.
  var dimmed: DashboardSection {
    DashboardSection(rank: rank, isList: isList, lines: lines.map { $0.dimmed() })
  }

  static func gap(_ rank: Int) -> DashboardSection { DashboardSection(rank: rank, lines: [StyledLine()]) }
}
