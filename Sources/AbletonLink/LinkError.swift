/// Why a ``Link`` could not be made.
public enum LinkError: Error, Hashable {
  /// Link could not set up its threads or its event loop, for example because the process has no file
  /// descriptors left; the reason is the system's own text.
  case cannotStart(reason: String)
}

extension LinkError: CustomStringConvertible {
  /// A sentence for people.
  public var description: String {
    switch self {
    case .cannotStart(let reason): "Ableton Link cannot start: \(reason)"
    }
  }
}
