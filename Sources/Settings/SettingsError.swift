import Words

/// A fault in the flags, or the faults of a configuration file, each in one line with its remedy.
public struct SettingsError: Error, Hashable, CustomStringConvertible {
  /// A line for each fault: the fault, the expectation, the remedy. There is at least one.
  public let lines: [String]

  /// The first line, and how many others there are.
  public var description: String {
    switch lines.count {
    case 1: lines[0]
    case 2: "\(lines[0]); there is one more fault"
    default: "\(lines[0]); there are \(lines.count - 1) more faults"
    }
  }

  /// A fault described by `description`, a single line.
  public init(_ description: String) {
    lines = [description]
  }

  /// The faults that the lines describe; `nil` where there are none.
  init?(_ lines: [String]) {
    guard !lines.isEmpty else { return nil }
    self.lines = lines
  }

  /// A command line that ArgumentParser refuses for the reason given, which may quote all of it.
  public init(refusal reason: String) {
    // A long line has the fault at its beginning, and the expectation at its end.
    let line = reason.echoed(limit: .max).unicodeScalars
    let short = line.count > 300 ? "\(String(line.prefix(100)))…\(String(line.suffix(180)))" : String(line)
    self.init("\(short)\(short.hasSuffix("?") || short.hasSuffix(".") ? "" : ".") See jackstay --help.")
  }
}
