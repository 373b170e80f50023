extension Settings {
  /// The settings of the flags, the environment and the configuration files together.
  public init(_ options: Options, environment: [String: String]) throws(SettingsError) {
    self = try SettingLayers(options, environment: environment).settings
  }

  /// The settings of the flags alone, without the environment and the configuration files.
  public init(flags options: Options) {
    self.init()
    apply(options)
  }

  /// Lets the flags that are given win over the settings.
  mutating func apply(_ options: Options) {
    var layers = SettingLayers(self)
    layers.apply(options)
    self = layers.settings
  }
}
