import Foundation
import Testing

@testable import Settings

@Suite struct ShippedConfigurationTests {
  static let path = URL(filePath: #filePath).appending(path: "../../../Config/jackstay.toml").standardized

  @Test("The shipped file describes every option of the table, in its words and order")
  func matchesTheTable() throws {
    let shipped = try String(contentsOf: Self.path, encoding: .utf8)
    #expect(shipped == Self.expected, "Config/jackstay.toml should be:\n\(Self.expected)")
  }

  @Test("The shipped file changes nothing")
  func isTheDefault() throws {
    #expect(try settings(file: String(contentsOf: Self.path, encoding: .utf8)) == Settings())
  }

  @Test("Every line that is commented out may be uncommented")
  func uncommented() throws {
    let lines = try String(contentsOf: Self.path, encoding: .utf8).split(
      separator: "\n", omittingEmptySubsequences: false)
    let unset = Setting.all.filter { if case .unset = $0.defaultValue { true } else { false } }
    for setting in unset {
      #expect(lines.contains("# \(setting.fileExample)"[...]))
    }
    let uncommented = lines.map { line in
      unset.contains { line == "# \($0.fileExample)" } ? line.dropFirst(2) : line
    }
    let settings = try settings(file: uncommented.joined(separator: "\n"))
    #expect(settings.tempo?.beatsPerMinute == 128)
    #expect(settings.quantum?.doubleValue == 8)
    #expect(settings.server == "studio")
  }

  /// The file that the table makes.
  static var expected: String {
    let head = """
      # The options of jackstay, with their defaults.
      #
      # jackstay reads $XDG_CONFIG_HOME/jackstay/config.toml, else ~/.config/jackstay/config.toml,
      # or the file that follows --config. Flags win over the file.
      # A line sets one option to a number, to true or false, or to text in quotes, as in TOML; # begins a comment.

      """
    let entries = Setting.all.map { setting in
      switch setting.defaultValue {
      case .value(let value):
        """

        # \(setting.summary)
        # Takes \(setting.expectation).
        \(setting.key) = \(value)

        """
      case .unset(let words):
        """

        # \(setting.summary)
        # Takes \(setting.expectation). Unless set: \(words).
        # \(setting.fileExample)

        """
      }
    }
    return head + entries.joined()
  }
}
