extension Settings {
  /// What the flags, the environment and the configuration files make together.
  public init(_ options: Options, environment: [String: String]) throws(SettingsError) {
    self = try SettingLayers(options, environment: environment).settings
  }

  /// Lets the flags that are given win over what the settings are.
  mutating func apply(_ options: Options) {
    var layers = SettingLayers(self)
    layers.apply(options)
    self = layers.settings
  }
}
