import NSM
import Settings
import Words

/// The project that a session manager has had the bridge open: its settings, and where they are kept.
struct OpenedProject {
  let layers: SettingLayers
  let file: StateFile
  /// All that the session has now, be it from the file or not.
  let state: SavedState
  /// The notices about the file.
  private(set) var lines: [LogLine] = []

  /// Reads what is there; where nothing is, the session begins with what was `told`.
  ///
  /// A file of Jackstay's that is damaged is set aside. Throws where a file cannot be read, or is another program's,
  /// or where JACK cannot have the name.
  init(_ project: SessionManager.Project, _ told: SettingLayers) throws(SettingsError) {
    var layers = told
    guard let file = StateFile(session: project.path) else {
      throw SettingsError(
        "\"\(project.path.echoed(limit: 200))\" is no path for a session's file: it has to begin with /. Create the session anew."
      )
    }
    guard layers.take(clientName: project.clientID) else {
      throw SettingsError(
        """
        "\(project.clientID.echoed(limit: 64))" cannot be a JACK client's name: 63 bytes at most, without ':' and '/'. Use a \
        shorter --name.
        """)
    }
    do throws(StateFile.Fault) {
      if let state = try file.read() { layers.remember(state, at: file.path) }
    } catch {
      switch error {
      case .unreadable(let reason):
        throw SettingsError("\(file.echo) cannot be read: \(reason). Make the file readable.")
      case .foreign: throw file.isForeign
      case .damaged(let reason):
        let aside = try file.setAside()
        lines.append(
          .warning(
            "\(file.echo) is damaged, so the configuration's settings hold: \(reason). It was renamed to \(aside)."
          ))
      }
    }
    self.layers = layers
    self.file = file
    state = SavedState(ofSession: layers.settings)
  }

  /// The reply to the manager.
  var reply: String { lines.isEmpty ? "opened" : lines.map(\.text).joined(separator: "; ") }
}
