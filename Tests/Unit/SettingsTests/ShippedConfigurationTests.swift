import Foundation
import Testing
import Typechecking

@testable import Settings

@Suite struct ShippedConfigurationTests {
  static let path = Typechecking.packageRoot.appending(path: "Config/jackstay.toml")

  @Test func `The shipped file describes every option in the words and the order of the help`() throws {
    let shipped = try String(contentsOf: Self.path, encoding: .utf8)
    let expected = try Self.expected
    #expect(shipped == expected, "Config/jackstay.toml should be:\n\(expected)")
  }

  @Test func `The shipped file sets nothing, so that a copy of it keeps the last choices in force`() throws {
    let layers = try SettingLayers(ConfigurationFile(named: Self.path.path(percentEncoded: false)))
    #expect(layers.count == 0)
    #expect(layers.settings == Settings())
  }

  @Test func `Every line of an option may be uncommented, and has the default where there is one`() throws {
    let lines = try String(contentsOf: Self.path, encoding: .utf8).split(
      separator: "\n", omittingEmptySubsequences: false)
    let uncommented = lines.map { line in
      Setting.all.contains { line.hasPrefix("# \($0.key) = ") } ? line.dropFirst(2) : line
    }
    let file = try ConfigurationFile(
      path: "c.toml", contents: Array(uncommented.joined(separator: "\n").utf8))
    let layers = try SettingLayers(file)
    #expect(layers.count == Setting.all.count)
    for setting in Setting.all {
      if Self.unset.contains(setting.key) {
        #expect(layers.literal(of: setting) == setting.example, "\(setting.key)")
      } else {
        #expect(layers.literal(of: setting) == SettingLayers().literal(of: setting), "\(setting.key)")
      }
    }
  }

  /// The options whose default is no value.
  static let unset = ["tempo", "quantum", "server", "on-takeover"]

  /// The file that the help makes.
  static var expected: String {
    get throws {
      let head = """
        # The options of jackstay. Each is commented out: remove the # before the lines that you change. A line without #
        # holds over what you choose while jackstay runs and it remembers, as "link off".
        #
        # jackstay reads $XDG_CONFIG_HOME/jackstay/config.toml, else ~/.config/jackstay/config.toml,
        # which wins over /etc/xdg/jackstay/config.toml; or only the file that follows --config.
        # Environment variables such as JACKSTAY_TEMPO win over files, and flags over all.
        # A line sets one option to a number, to true or false, or to text in quotes, as in TOML; # begins a comment.

        """
      return try head + Setting.all.map(entry).joined()
    }
  }

  private static func entry(_ setting: Setting) throws -> String {
    let help = try OptionHelp(setting)
    let isUnset = unset.contains(setting.key)
    // A sentence a line.
    let summary = help.summary.replacing(". ", with: ".\n# ")
    return """

      # \(summary)
      # Takes \(setting.expectation).\(isUnset ? " Unless set: \(help.defaultValue)." : "")
      # \(isUnset ? setting.fileExample : "\(setting.key) = \(literal(help.defaultValue))")

      """
  }

  /// A default of the help as TOML writes it.
  private static func literal(_ value: Substring) -> String {
    value.hasPrefix("--") ? "\(!value.hasPrefix("--no-"))" : Int(value) == nil ? "\"\(value)\"" : "\(value)"
  }
}
