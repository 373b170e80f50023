/// A fault in the flags or in the configuration file, in one line that says what to do about it.
public struct SettingsError: Error, Hashable, CustomStringConvertible {
  /// The line: what is wrong, what was expected, what to do.
  public let description: String

  /// A fault described by `description`, a single line.
  public init(_ description: String) {
    self.description = description
  }

  /// A command line that ArgumentParser refuses for the reason given, which may quote all of it.
  public init(refusal reason: String) {
    // Where it is long, what is wrong stands at the beginning, and what was expected at the end.
    let line = reason.echoed(limit: .max).unicodeScalars
    let short = line.count > 300 ? "\(String(line.prefix(100)))…\(String(line.suffix(180)))" : String(line)
    self.init("\(short)\(short.hasSuffix("?") || short.hasSuffix(".") ? "" : ".") See jackstay --help.")
  }
}
