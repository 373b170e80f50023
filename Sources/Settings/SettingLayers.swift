import Words

/// The settings, and where each of them comes from.
///
/// The layers lie on each other, the strongest on top: flags, environment variables, the user's configuration
/// file, the system's, the choices of the last run, and the defaults.
public struct SettingLayers: Sendable {
  /// The settings of all layers together.
  public private(set) var settings: Settings
  /// The configuration files that were read, the weakest first.
  public private(set) var files: [String] = []
  private var origins: [String: SettingOrigin] = [:]

  /// Reads what there is: the file that `--config` names, or those at the customary places.
  public init(_ options: Options, environment: [String: String]) throws(SettingsError) {
    self.init()
    if let path = options.config {
      try apply(ConfigurationFile(named: path))
    } else {
      for file in try ConfigurationFile.customary(environment: environment) { try apply(file) }
    }
    try apply(environment)
    apply(options)
  }

  /// The settings of one file alone.
  public init(_ file: ConfigurationFile) throws(SettingsError) {
    self.init()
    try apply(file)
  }

  init(_ settings: Settings = Settings()) {
    self.settings = settings
  }

  /// The value of an option, as TOML writes it; `nil` where there is none.
  public func literal(of setting: Setting) -> String? { setting.value(settings)?.literal }

  /// The value of an option, if that is a text, without its quotes; `nil` where it is a number, yes or no, or
  /// nothing.
  public func text(of setting: Setting) -> String? { setting.value(settings)?.text }

  /// Where the value of an option comes from.
  public func origin(of setting: Setting) -> SettingOrigin { origins[setting.key] ?? .standard }

  /// The options that are set, and not by default.
  public var count: Int { origins.count }

  /// The options whose values differ in other settings, in the order of the help.
  public func changes(to other: SettingLayers) -> [Setting] {
    Setting.all.filter { $0.value(settings) != $0.value(other.settings) }
  }

  /// Applies the state of the last run, where no other layer sets a value; or a session's, over files.
  public mutating func remember(_ state: SavedState, at path: String) {
    for setting in state.extent.settings {
      guard isWeaker(origin(of: setting), than: state.extent), let value = state.value(of: setting),
        setting.assign(value, &settings)
      else { continue }
      origins[setting.key] = .state(path: path)
    }
  }

  private func isWeaker(_ origin: SettingOrigin, than extent: SavedState.Extent) -> Bool {
    switch origin {
    case .standard: true
    case .file, .state: extent == .session
    case .variable, .flag: false
    }
  }

  /// Takes the name that a session manager has given, over all layers; false if JACK cannot have it.
  public mutating func take(clientName text: String) -> Bool {
    guard let name = JACKName(text) else { return false }
    settings.clientName = name.text
    origins["name"] = .variable("NSM_URL")
    return true
  }

  /// Lets the flags that are given win over the settings.
  mutating func apply(_ options: Options) {
    for setting in Setting.all where setting.override(options, &settings) {
      origins[setting.key] = .flag(setting.flag)
    }
  }
}

// MARK: Files

extension SettingLayers {
  /// Sets what `file` sets. All faults of the file, in the order of its text, are thrown together.
  mutating func apply(_ file: ConfigurationFile) throws(SettingsError) {
    files.append(file.path)
    var places: [String: Int] = [:]
    var faults: [String] = []
    for (index, text) in file.lines.enumerated() {
      do throws(FileLine.Fault) {
        var line = FileLine(text)
        guard let entry = try line.entry() else { continue }
        try apply(entry)
        if let first = places[entry.key] {
          throw FileLine.Fault(
            column: entry.column,
            reason: "\(entry.key) is set more than once, first in line \(first); keep one line")
        }
        places[entry.key] = index + 1
        origins[entry.key] = .file(path: file.path, line: index + 1)
      } catch {
        faults.append("\(file.path.echoedAsPath):\(index + 1):\(error.column): \(error.reason)")
      }
    }
    if let error = SettingsError(faults) { throw error }
  }

  private mutating func apply(_ entry: FileLine.Entry) throws(FileLine.Fault) {
    guard let setting = Setting.named(entry.key) else {
      throw FileLine.Fault(column: entry.column, reason: Setting.unknown(key: entry.key))
    }
    guard setting.assign(entry.value, &settings) else {
      throw FileLine.Fault(
        column: entry.valueColumn,
        reason: "\(entry.key) = \(entry.written.echoed()): expected \(setting.expectation)"
          + setting.advice(for: entry.value))
    }
  }
}

extension Setting {
  /// Whether that is a value of the option.
  func takes(_ value: WrittenValue) -> Bool {
    var settings = Settings()
    return assign(value, &settings)
  }

  /// The text to write for a value of a file that the option does not take, to follow the expectation.
  fileprivate func advice(for value: WrittenValue) -> String {
    let variants = [
      (value.withPoint, "with a point"),
      (value.withPoint?.withOtherQuotes, "with a point"),
      (value.withOtherQuotes, value.text == nil ? "in quotes" : "without quotes"),
      (value.asSwitch, "as TOML has it"),
    ]
    for case (let variant?, let how) in variants where takes(variant) {
      return ", \(how): \(key) = \(variant.literal.echoed())"
    }
    return ", for example \(fileExample)"
  }

  fileprivate static func unknown(key: String) -> String {
    let keys = all.map(\.key)
    let advice =
      meant(by: key) ?? key.nearest(of: keys).map { "did you mean \"\($0)\"?" }
      ?? "the options are \(keys.joined(separator: ", "))"
    return "unknown option \"\(key.echoed())\"; \(advice)"
  }

  /// The key to write for one that is a flag.
  private static func meant(by key: String) -> String? {
    let flag = key.drop { $0 == "-" }
    if flag.hasPrefix("no-"), let setting = named(String(flag.dropFirst(3))), setting.takes(.bare("false")) {
      return "write \(setting.key) = false"
    }
    guard flag.count < key.count, let setting = named(String(flag)) else { return nil }
    return "write \(setting.fileExample)"
  }
}

// MARK: Environment

extension SettingLayers {
  /// Applies the environment variables. An empty one sets nothing. One that is nearly that of an option is
  /// thrown; others that begin like them belong to other programs.
  mutating func apply(_ environment: [String: String]) throws(SettingsError) {
    for setting in Setting.all {
      let name = setting.variable
      guard let text = environment[name], !text.isEmpty else { continue }
      // Bytes that are no text were repaired by such characters.
      guard !text.contains("\u{FFFD}"), setting.assign(.argument(text), &settings) else {
        throw SettingsError(
          "\(name)=\(text.echoed()): expected \(setting.expectation)\(setting.advice(for: name, text)); "
            + "change it, or unset \(name)")
      }
      origins[setting.key] = .variable(name)
    }
    let names = Setting.all.map(\.variable)
    for name in environment.keys.sorted()
    where name.hasPrefix(Setting.variablePrefix) && !names.contains(name) {
      guard
        let key = String(name.dropFirst(Setting.variablePrefix.count)).nearest(of: Setting.all.map(\.key)),
        let meant = Setting.named(key)
      else { continue }
      throw SettingsError("\(name.echoed()): unknown option; did you mean \(meant.variable)?")
    }
  }
}

extension Setting {
  /// The value to give a variable instead of a text that the option does not take, to follow the expectation.
  fileprivate func advice(for variable: String, _ text: String) -> String {
    if let value = WrittenValue.argument(text).withPoint, takes(value), let text = value.text {
      return ", with a point: \(variable)=\(text.echoed())"
    }
    return ", for example \(variable)=\(example.filter { $0 != "\"" })"
  }
}
