extension Settings {
  /// What the flags and the configuration file make together; flags win.
  ///
  /// Reads the file that `--config` names, else the one at its customary place, if there is one.
  public init(_ options: Options, environment: [String: String]) throws(SettingsError) {
    self.init()
    if let path = options.config {
      try apply(ConfigurationFile(named: path))
    } else if let file = try ConfigurationFile.atDefaultPath(environment: environment) {
      try apply(file)
    }
    apply(options)
  }

  /// Lets the flags that are given win over what the settings are.
  mutating func apply(_ options: Options) {
    for setting in Setting.all { setting.override(options, &self) }
  }
}
