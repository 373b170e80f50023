import Glibc

/// The abilities of a terminal.
struct TerminalLook: Sendable, Equatable {
  /// Whether it has colours, and its user wants them.
  var hasColours: Bool
  /// Whether it has blocks of several sizes, and not only ASCII.
  var hasBlocks: Bool

  /// As the environment says: `NO_COLOR`, if it is not empty, asks for none, and blocks need a locale of UTF-8.
  init(environment: [String: String]) {
    hasColours = (environment["NO_COLOR"] ?? "").isEmpty
    let locale =
      ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty } ?? ""
    hasBlocks = locale.lowercased().replacing("-", with: "").contains("utf8")
  }

  /// The variables that count. The corresponding C function is `getenv`.
  static var environment: [String: String] {
    let names = ["TERM", "NO_COLOR", "LC_ALL", "LC_CTYPE", "LANG"]
    return Dictionary(
      uniqueKeysWithValues: names.compactMap { name in getenv(name).map { (name, String(cString: $0)) } })
  }

  /// A bar's full, partial and empty cells: each of those between is fuller than the one before.
  var fills: [Character] { hasBlocks ? ["░", "▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"] : [".", "#"] }

  /// The levels of a sparkline, from the lowest.
  var levels: [Character] {
    hasBlocks ? ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"] : ["_", ".", ":", "-", "=", "+", "*", "#"]
  }

  /// The characters that have the terminal write in a style. The corresponding standard is ECMA-48's SGR.
  func code(of style: TextStyle) -> String {
    switch style {
    case .plain: "\u{1B}[0m"
    case .strong: "\u{1B}[0;1m"
    case .faint: "\u{1B}[0;2m"
    case .good: hasColours ? "\u{1B}[0;32m" : "\u{1B}[0m"
    case .warning: hasColours ? "\u{1B}[0;1;33m" : "\u{1B}[0;1m"
    case .bad: hasColours ? "\u{1B}[0;1;31m" : "\u{1B}[0;1m"
    case .bar: "\u{1B}[0;7m"
    }
  }
}
