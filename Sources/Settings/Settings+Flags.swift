extension Settings {
  /// Lets `flags` win over what the settings are.
  public mutating func apply(_ flags: [FlagUse]) throws(SettingsError) {
    try FlagUse.check(flags)
    for use in flags {
      guard use.setting.assign(use.value, &self) else {
        throw use.fault
      }
    }
  }
}

extension FlagUse {
  /// Whether each flag is given once, and with a value where it takes one; what the value is comes later.
  public static func check(_ flags: [FlagUse]) throws(SettingsError) {
    var seen: [String: String] = [:]
    for use in flags {
      if case .argument(let text) = use.value, Setting.isFlag(text) {
        throw use.setting.missingValue
      }
      if let earlier = seen.updateValue(use.spelling, forKey: use.setting.key) {
        throw SettingsError(
          earlier == use.spelling
            ? "\(use.spelling) is given more than once; keep one"
            : "\(earlier) and \(use.spelling) contradict each other; keep one")
      }
    }
  }

  fileprivate var fault: SettingsError {
    let written = value.text.map { "\(spelling) \($0.echoedAsWord())" } ?? spelling
    return SettingsError(
      "\(written): expected \(setting.expectation), for example \(setting.flagExample)")
  }
}

extension Setting {
  /// The error for a flag at the end of the line, or with another flag where its value should be.
  public var missingValue: SettingsError {
    SettingsError("--\(key): the value is missing; expected \(expectation), for example \(flagExample)")
  }

  /// The option whose flag is spelt `spelling`.
  public static func withFlag(_ spelling: String) -> Setting? {
    all.first { $0.flags.contains(spelling) }
  }

  /// Whether `text` is a flag of the program, and so can only be a value by mistake.
  static func isFlag(_ text: String) -> Bool {
    let spelling = String(text.prefix { $0 != "=" })
    return withFlag(spelling) != nil || ["--config", "--help", "--version"].contains(spelling)
  }
}
