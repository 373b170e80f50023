/// A folder of the user's, as the XDG Base Directory Specification has it.
enum UserFolder {
  /// For configuration files.
  case configuration
  /// For what outlasts a run, and matters to this machine alone.
  case state

  /// Its path, or `nil` when the environment names no home folder. A relative folder does not count.
  func path(environment: [String: String]) -> String? {
    let (variable, standard) =
      switch self {
      case .configuration: ("XDG_CONFIG_HOME", ".config")
      case .state: ("XDG_STATE_HOME", ".local/state")
      }
    if let folder = environment[variable], folder.hasPrefix("/") { return folder }
    guard let home = environment["HOME"], home.hasPrefix("/") else { return nil }
    return "\(home)/\(standard)"
  }
}
