import Dispatch
import JSON

/// A way by which people and programs command the bridge, and get its events.
///
/// Thread-safe.
public protocol Surface: Sendable {
  /// Has `answer` find the answer to each question, one after the other, until ``finish(within:)``, or until
  /// the task is cancelled.
  ///
  /// - Parameter answer: Gets the command, as on standard input.
  func run(_ answer: @escaping @Sendable (String) async -> ControlAnswer) async

  /// Sends an event to all that want it; where none does, the event is not even put into words.
  func publish(_ event: @autoclosure () -> JSONObject)

  /// Takes nothing more, and ends when all answers are written, but within `timeout`.
  func finish(within timeout: DispatchTimeInterval)

  /// Whether the clients are the user who runs the bridge: their status has the links to the panel, too.
  var isOwners: Bool { get }
}

extension Surface {
  /// Sends no events.
  public func publish(_ event: @autoclosure () -> JSONObject) {}

  /// There is nothing left to be written.
  public func finish(within timeout: DispatchTimeInterval) {}

  /// They may be others.
  public var isOwners: Bool { false }
}
