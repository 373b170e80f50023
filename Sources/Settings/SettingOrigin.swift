import Words

/// Where the value of an option comes from.
public enum SettingOrigin: Sendable, Hashable {
  /// The default: no layer sets it.
  case standard
  /// It was last chosen while the program ran.
  case state(path: String)
  /// A line of a configuration file.
  case file(path: String, line: Int)
  /// An environment variable.
  case variable(String)
  /// A flag on the command line.
  case flag(String)
}

extension SettingOrigin: CustomStringConvertible {
  /// In a few words, on one line.
  public var description: String {
    switch self {
    case .standard: "default"
    case .state(let path): "state, \(path.echoedAsPath)"
    case .file(let path, let line): "\(path.echoedAsPath):\(line)"
    case .variable(let name): "environment, \(name)"
    case .flag(let flag): "flag \(flag)"
    }
  }
}
