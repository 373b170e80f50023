/// Why a ``Link`` could not be made.
public enum LinkError: Error, Hashable {
  /// Link could not set up its threads or its event loop, for example because the process has no file
  /// descriptors left; the reason is the system's own text.
  case cannotStart(reason: String)
  /// Another program keeps the UDP port, by which peers find each other, to itself.
  case portTaken(UInt16)
}

extension LinkError: CustomStringConvertible {
  /// A sentence for people.
  public var description: String {
    switch self {
    case .cannotStart(let reason):
      "Ableton Link cannot start: \(reason). Close programs, or raise the limits of threads and open files."
    case .portTaken(let port):
      """
      Another program keeps UDP port \(port), which Ableton Link needs, to itself. End that program: \
      "ss -ulpn sport = :\(port)" names it.
      """
    }
  }
}
