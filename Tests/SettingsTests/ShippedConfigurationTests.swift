import Foundation
import Testing

@testable import Settings

@Suite struct ShippedConfigurationTests {
  static let path = URL(filePath: #filePath).appending(path: "../../../Config/jackstay.toml").standardized

  @Test("The shipped file describes every option in the words and the order of the help")
  func matchesTheHelp() throws {
    let shipped = try String(contentsOf: Self.path, encoding: .utf8)
    let expected = try Self.expected
    #expect(shipped == expected, "Config/jackstay.toml should be:\n\(expected)")
  }

  @Test("The shipped file changes nothing")
  func isTheDefault() throws {
    #expect(try settings(file: String(contentsOf: Self.path, encoding: .utf8)) == Settings())
  }

  @Test("Every line that is commented out may be uncommented")
  func uncommented() throws {
    let lines = try String(contentsOf: Self.path, encoding: .utf8).split(
      separator: "\n", omittingEmptySubsequences: false)
    let unset = Setting.all.filter { Self.unset.contains($0.key) }
    let uncommented = lines.map { line in
      unset.contains { line == "# \($0.fileExample)" } ? line.dropFirst(2) : line
    }
    let settings = try settings(file: uncommented.joined(separator: "\n"))
    #expect(settings.tempo?.beatsPerMinute == 128)
    #expect(settings.quantum?.doubleValue == 8)
    #expect(settings.server == "studio")
    #expect(settings.takeover == .follow)
  }

  /// The options whose default is no value.
  static let unset = ["tempo", "quantum", "server", "on-takeover"]

  /// The file that the help makes.
  static var expected: String {
    get throws {
      let head = """
        # The options of jackstay, with their defaults.
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
    return """

      # \(help.summary)
      # Takes \(setting.expectation).\(isUnset ? " Unless set: \(help.defaultValue)." : "")
      \(isUnset ? "# \(setting.fileExample)" : "\(setting.key) = \(literal(help.defaultValue))")

      """
  }

  /// A default of the help as TOML writes it.
  private static func literal(_ value: Substring) -> String {
    value.hasPrefix("--") ? "\(!value.hasPrefix("--no-"))" : Int(value) == nil ? "\"\(value)\"" : "\(value)"
  }
}
