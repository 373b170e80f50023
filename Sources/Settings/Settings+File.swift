extension Settings {
  /// Sets what `file` sets. The first fault of the file, in the order of its text, is thrown.
  public mutating func apply(_ file: ConfigurationFile) throws(SettingsError) {
    var layers = SettingLayers(self)
    try layers.apply(file)
    self = layers.settings
  }
}
