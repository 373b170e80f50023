import Settings

/// Takes up what has changed in the configuration since the program began, as far as a running bridge can.
actor ConfigurationReload {
  private var layers: SettingLayers
  private let surface: BridgeSurface
  private let threshold: LogThreshold

  /// Begins with the settings that the program was started with. Later commands hold until the configuration
  /// says something else.
  init(_ layers: SettingLayers, _ surface: BridgeSurface, _ threshold: LogThreshold) {
    self.layers = layers
    self.surface = surface
    self.threshold = threshold
  }

  /// Takes up a configuration that was read, and returns the notice of it. One that cannot be used changes
  /// nothing.
  func take(_ read: Result<SettingLayers, SettingsError>) async -> LogLine {
    let new: SettingLayers
    switch read {
    case .failure(let error): return .error("the configuration stays as it was: \(error)")
    case .success(let layers): new = layers
    }
    let changes = layers.changes(to: new)
    layers = new
    var (taken, refused): ([String], [String]) = ([], [])
    for setting in changes {
      if await take(setting, new.settings) { taken.append(setting.key) } else { refused.append(setting.key) }
    }
    guard !changes.isEmpty else { return .notice("read the configuration again: nothing has changed") }
    let changed = taken.isEmpty ? "" : ", changed: \(taken.joined(separator: ", "))"
    guard !refused.isEmpty else { return .notice("read the configuration again\(changed)") }
    return .warning(
      "read the configuration again\(changed). To change \(refused.joined(separator: ", ")), start the bridge anew."
    )
  }

  private func take(_ setting: Setting, _ settings: Settings) async -> Bool {
    if setting.key == "log-level" {
      threshold.current = settings.logLevel.loggerLevel
      return true
    }
    guard let instruction = setting.instruction(settings) else { return false }
    switch await surface.carryOut(instruction) {
    case .taken, .kept: return true
    case .refused, .error, .status, .watching, .help: return false
    }
  }
}
