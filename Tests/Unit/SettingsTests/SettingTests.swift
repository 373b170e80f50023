import ArgumentParser
import MusicalTime
import Testing

@testable import Settings

@Suite struct SettingTests {
  @Test func `Every option has a name of its own`() {
    #expect(Set(Setting.all.map(\.key)).count == Setting.all.count)
  }

  @Test func `Every flag is an option of the file, but those that only the command line can have`() {
    let flags = Options.helpMessage().matches(of: /\n  (-h, )?--([a-z-]+)/).map { String($0.output.2) }
    #expect(flags == Setting.all.map(\.key) + ["config", "print-server", "help"])
  }

  @Test("The example of an option can be copied, into a file or after a flag", arguments: Setting.all)
  func documentedExample(setting: Setting) throws {
    let fromFile = try settings(file: setting.fileExample)
    #expect(fromFile != Settings())
    var fromFlag = Settings()
    fromFlag.apply(try Options.parse(setting.flagExample))
    #expect(fromFlag == fromFile)
  }

  @Test(
    "The help of an option says in a line each what it is for and what its values do", arguments: Setting.all)
  func help(setting: Setting) throws {
    let help = try OptionHelp(setting)
    #expect(help.summary.hasSuffix("."))
    for sentence in help.summary.split(separator: ". ") { #expect(sentence.count <= 100, "\(sentence)") }
    #expect(help.expectation.map(String.init) == (setting.isSwitch ? nil : setting.expectation))
  }

  @Test func `A shell completes the words that an option takes, and they are all taken`() throws {
    let script = Options.completionScript(for: .bash)
    for (key, words) in [
      ("mode", ["auto", "link", "jack"]), ("latency", ["auto", "none"]), ("on-locate", ["wait", "roll"]),
      ("midi-clock", ["off", "rolling", "always"]),
      ("midi-clock-position", ["auto", "always", "never"]), ("click", ["off", "rolling"]), ("osc", ["off"]),
      ("panel", ["off"]), ("ardour", ["auto", "off"]),
      ("metadata", ["auto", "on", "off"]),
    ] {
      let list = words.map { "'\($0)'" }.joined(separator: #"$'\n'"#)
      #expect(script.contains("add_completions -W \(list)\n"), "\(key)")
      for word in words {
        #expect(faultLine { try settings(flags: "--\(key)", word) } == nil, "--\(key) \(word)")
      }
    }
  }
}
