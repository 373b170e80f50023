@testable import Settings

/// The settings that `text` alone makes, as a file named `c.toml`.
func settings(file text: String) throws -> Settings {
  var settings = Settings()
  try settings.apply(ConfigurationFile(path: "c.toml", contents: Array(text.utf8)))
  return settings
}

/// The settings that one flag alone makes.
func settings(flag key: String, _ value: String) throws -> Settings {
  var settings = Settings()
  try settings.apply([FlagUse(try option(key), value: value)])
  return settings
}

/// The option called `key`.
func option(_ key: String) throws -> Setting {
  guard let setting = Setting.all.first(where: { $0.key == key }) else {
    throw SettingsError("no option \(key)")
  }
  return setting
}

/// The error line of `body`, or `nil` when it throws none.
func faultLine(_ body: () throws -> Settings) -> String? {
  do {
    _ = try body()
    return nil
  } catch {
    return "\(error)"
  }
}

extension String {
  /// Whether a terminal shows the text as one line, as it is.
  var isOneLine: Bool { unicodeScalars.allSatisfy { $0.isPrintable } }
}
