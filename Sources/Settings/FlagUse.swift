/// A flag as it was given on the command line.
public struct FlagUse: Sendable {
  /// The option the flag sets.
  public let setting: Setting
  /// The flag as it was spelt, for example `--no-wait`.
  public let spelling: String
  /// Its value.
  public let value: SettingValue

  /// A flag that was followed by `value`.
  public init(_ setting: Setting, value: String) {
    self.setting = setting
    spelling = setting.flag
    self.value = .argument(value)
  }

  /// A switch that was turned on or off.
  public init(_ setting: Setting, on: Bool) {
    self.setting = setting
    spelling = on ? "--\(setting.key)" : "--no-\(setting.key)"
    value = .bare("\(on)")
  }
}
