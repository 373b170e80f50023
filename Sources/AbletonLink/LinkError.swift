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
      "Ableton Link cannot start: \(reason). It needs threads and sockets; close programs or raise the limits."
    case .portTaken(let port):
      """
      Ableton Link needs UDP port \(port), which another program keeps to itself; peers share it. End that program: \
      "ss -ulpn sport = :\(port)" names it.
      """
    }
  }
}
