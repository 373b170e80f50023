import ArgumentParser
import Testing

@testable import Settings

/// The settings that `text` alone makes, as a file named `c.toml`.
func settings(file text: String) throws -> Settings {
  var settings = Settings()
  try settings.apply(ConfigurationFile(path: "c.toml", contents: Array(text.utf8)))
  return settings
}

/// The settings that flags alone make.
func settings(flags words: String...) throws -> Settings {
  do {
    return try Settings(Options.parse(words), environment: [:])
  } catch {
    throw SettingsError(refusal: Options.message(for: error))
  }
}

/// The option called `key`.
func option(_ key: String) throws -> Setting {
  try #require(Setting.all.first { $0.key == key })
}

/// The help of an option.
struct OptionHelp {
  /// Its purpose.
  let summary: Substring
  /// Its values; `nil` for a switch.
  let expectation: Substring?
  /// The default.
  let defaultValue: Substring

  init(_ setting: Setting) throws {
    // So wide that no line is wrapped: only the text beside a long flag is in a line of its own.
    let lines = Options.helpMessage(columns: 10_000).split(separator: "\n")
    let index = try #require(
      lines.firstIndex { $0.hasPrefix("  --\(setting.key) ") || $0.hasPrefix("  --\(setting.key)/") })
    let next = lines[index + 1]
    let text = (next.hasPrefix("    ") ? next : lines[index]).dropFirst(26)
    let match = try #require(text.wholeMatch(of: /(.+?)(?: Takes (.+)\.)? Default: (.+)\./), "\(text)")
    (summary, expectation, defaultValue) = (match.output.1, match.output.2, match.output.3)
  }
}

extension Setting {
  /// Whether its flag takes no value.
  var isSwitch: Bool { expectation == "true or false" }

  /// The example as it is given on the command line.
  var flagExample: [String] {
    isSwitch ? ["--no-\(key)"] : ["--\(key)", example.filter { $0 != "\"" }]
  }
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
