import Bridge
import JSON
import Reconciliation
import Settings

/// The choices about things that a bridge shares with a session, where they are not the default: a choice
/// that outlasts a run is seen wherever people look at the bridge.
struct UnusualChoices: Sendable, Equatable {
  /// Whether Link is off, so that the bridge is no peer.
  var isLinkOff = false
  /// The other choices, in a few words each.
  var others: [String] = []

  /// All of them, in a few words each.
  var words: [String] { (isLinkOff ? ["Link off"] : []) + others }

  /// None.
  init() {}

  init(
    isLinkEnabled: Bool, tempoSync: String?, startStopSync: String?, launch: String?, discipline: String?
  ) {
    isLinkOff = !isLinkEnabled
    if let tempoSync, tempoSync != Sharing.both.rawValue { others.append("tempo \(tempoSync)") }
    if let startStopSync, startStopSync != Sharing.both.rawValue {
      others.append("start/stop \(startStopSync)")
    }
    if let launch, launch != LaunchMode.bar.rawValue { others.append("launch \(launch)") }
    if let discipline, discipline != Discipline.off.rawValue { others.append("discipline \(discipline)") }
  }

  /// Those of a bridge as it stands.
  init(_ overview: BridgeOverview) {
    let choices = overview.configuration.choices
    self.init(
      isLinkEnabled: overview.isLinkEnabled, tempoSync: choices.tempoSync.rawValue,
      startStopSync: choices.startStopSync.rawValue,
      launch: choices.launch.rawValue, discipline: choices.discipline.rawValue)
  }

  /// Those of a bridge that has sent its status.
  init(_ status: JSONObject) {
    self.init(
      isLinkEnabled: status["link"]?.boolean ?? true,
      tempoSync: status["tempo_sharing"]?.string, startStopSync: status["start_stop_sharing"]?.string,
      launch: status["launch"]?.string, discipline: status["discipline"]?.string)
  }

  /// The lines that a bridge begins with for such choices: of those that a file or an earlier run made, and
  /// not the command line.
  static func lines(_ layers: SettingLayers) -> [LogLine] {
    let settings = layers.settings
    let chosen = settings.reconciler.choices
    let choices: [(key: String, isUnusual: Bool, text: String, usual: String)] = [
      ("link", !settings.isLinkEnabled, "Link is off", "on"),
      (
        "tempo-sync", chosen.tempoSync != .both, "tempo-sync is \(chosen.tempoSync.rawValue)",
        Sharing.both.rawValue
      ),
      (
        "start-stop-sync", chosen.startStopSync != .both,
        "start-stop-sync is \(chosen.startStopSync.rawValue)", Sharing.both.rawValue
      ),
      ("launch", chosen.launch != .bar, "launch is \(chosen.launch.rawValue)", LaunchMode.bar.rawValue),
      (
        "discipline", chosen.discipline != .off, "discipline is \(chosen.discipline.rawValue)",
        Discipline.off.rawValue
      ),
    ]
    return choices.compactMap { choice in
      guard choice.isUnusual, let setting = Setting.all.first(where: { $0.key == choice.key }) else {
        return nil
      }
      switch layers.origin(of: setting) {
      case .state, .file: break
      case .standard, .variable, .flag: return nil
      }
      return .notice(
        "\(choice.text) (\(layers.origin(of: setting))). To change that: jackstay \(choice.key) \(choice.usual)"
      )
    }
  }
}
