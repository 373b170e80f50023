/// One option: its name, its values, and what it means.
///
/// Flags, configuration file, help and documentation all read ``all``, so that a new option is one new row
/// there.
public struct Setting: Sendable {
  /// What holds when an option is not given.
  public enum Default: Sendable, Hashable {
    /// A value, as TOML writes it.
    case value(String)
    /// No value; the words say what happens instead.
    case unset(String)
  }

  /// The name in the configuration file; the flag is the same after `--`.
  public let key: String
  /// What stands for the value in the help, or `nil` for a switch, whose flag takes no value.
  public let placeholder: String?
  /// What holds when the option is not given.
  public let defaultValue: Default
  /// A value other than the default, as TOML writes it.
  public let example: String
  /// The values the option takes, to follow "expected".
  public let expectation: String
  /// What the option is for, in one line; of a switch, what the program does while it is on.
  public let summary: String
  /// Gives the settings the value; false, and the settings unchanged, when it is not a value of the option.
  let assign: @Sendable (SettingValue, inout Settings) -> Bool

  /// Whether the flag takes no value.
  public var isSwitch: Bool { placeholder == nil }

  /// The flag as the help shows it: a switch that is on by default is turned off by `--no-`.
  public var flag: String { isSwitch && defaultValue == .value("true") ? "--no-\(key)" : "--\(key)" }

  /// All spellings of the flag. A switch has both, so that a flag can always undo the configuration file.
  public var flags: [String] { isSwitch ? ["--\(key)", "--no-\(key)"] : ["--\(key)"] }

  /// The flag with an example of its value.
  public var flagExample: String {
    isSwitch ? flag : "--\(key) \(example.filter { $0 != "\"" })"
  }

  /// What the flag that turns a switch on, or off, is for.
  public func summary(on isOn: Bool) -> String {
    isOn ? summary : "Do not \(summary.prefix(1).lowercased())\(summary.dropFirst())"
  }

  /// The default as the help words it.
  public var defaultInWords: String {
    switch defaultValue {
    case .value(let value): value.filter { $0 != "\"" }
    case .unset(let words): words
    }
  }

  /// The example as a line of the configuration file.
  public var fileExample: String { "\(key) = \(example)" }
}
