import MusicalTime
import Testing

@testable import Settings

@Suite struct SettingTests {
  @Test("Every option has a name of its own")
  func namesAreUnique() {
    #expect(Set(Setting.all.flatMap(\.flags)).count == Setting.all.flatMap(\.flags).count)
  }

  @Test("The default that an option documents is the one that settings begin with", arguments: Setting.all)
  func documentedDefault(setting: Setting) throws {
    guard case .value(let value) = setting.defaultValue else { return }
    #expect(try settings(file: "\(setting.key) = \(value)") == Settings())
  }

  @Test("The example of an option can be copied, into a file or after a flag", arguments: Setting.all)
  func documentedExample(setting: Setting) throws {
    let fromFile = try settings(file: setting.fileExample)
    #expect(fromFile != Settings())
    var fromFlag = Settings()
    let words = setting.flagExample.split(separator: " ").map(String.init)
    #expect(words.first == setting.flag)
    try fromFlag.apply([
      setting.isSwitch ? FlagUse(setting, on: false) : FlagUse(setting, value: words[1])
    ])
    #expect(fromFlag == fromFile)
  }

  @Test("What an option is for fits a line and ends like a sentence", arguments: Setting.all)
  func summaries(setting: Setting) {
    #expect(setting.summary.hasSuffix("."))
    #expect(setting.summary.count <= 100)
  }
}
