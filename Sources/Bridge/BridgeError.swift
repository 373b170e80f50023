import AbletonLink
import JACK

/// Why a ``Bridge`` gave up.
public enum BridgeError: Error, Sendable, CustomStringConvertible {
  /// JACK refused, or is not there and was not to be waited for.
  case jack(JACKError)
  /// Link cannot be had.
  case link(LinkError)

  /// The fault, the expectation, and the remedy.
  public var description: String {
    switch self {
    case .jack(let error): error.description
    case .link(let error): error.description
    }
  }
}
