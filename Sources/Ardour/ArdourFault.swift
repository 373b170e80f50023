import Glibc

/// Why there is no connection with Ardour, or none any more, in one line.
public enum ArdourFault: Error, Hashable, CustomStringConvertible {
  /// The system has refused a call: the number of its error.
  case system(Int32)
  /// It does not answer in time.
  case silent
  /// It takes nothing more.
  case full
  /// It has closed the connection.
  case closed
  /// It breaks the protocol.
  case protocolError(WebSocketFault)

  /// The line.
  public var description: String {
    switch self {
    case .system(let number): String(cString: strerror(number))
    case .silent: "it does not answer in time"
    case .full: "it takes nothing more"
    case .closed: "it has closed the connection"
    case .protocolError(let fault): fault.description
    }
  }
}
