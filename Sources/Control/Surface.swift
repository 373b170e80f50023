import Dispatch
import JSON

/// A way by which people and programs tell the bridge what to do, and are told what happens.
///
/// Thread-safe.
public protocol Surface: Sendable {
  /// Has `answer` find the answer to what is asked, one question after the other, until ``finish(within:)``, or until the
  /// task is cancelled.
  ///
  /// - Parameter answer: Is given what is to be done, in the words of standard input.
  func run(_ answer: @escaping @Sendable (String) async -> ControlAnswer) async

  /// Tells all who want to know what has happened; where nobody does, it is not even put into words.
  func publish(_ event: @autoclosure () -> JSONObject)

  /// Takes nothing more, and ends when what was said is written, but within `timeout`.
  func finish(within timeout: DispatchTimeInterval)

  /// Whether those who ask are the user who runs the bridge: a status tells them the links to the panel, too.
  var isOwners: Bool { get }
}

extension Surface {
  /// Nobody is told of events.
  public func publish(_ event: @autoclosure () -> JSONObject) {}

  /// There is nothing left to be written.
  public func finish(within timeout: DispatchTimeInterval) {}

  /// They may be others.
  public var isOwners: Bool { false }
}
