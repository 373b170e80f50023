import Foundation
import Synchronization

/// An action beside a test, on a thread of its own, until the test ends it.
public final class Companion<Result: Sendable>: Sendable {
  private let isOver: Flag
  private let result = Mutex<Result?>(nil)
  private let hasEnded = DispatchSemaphore(value: 0)

  /// Set by another thread.
  private final class Flag: Sendable {
    let value = Mutex(false)
  }

  /// A value that one thread hands to another, and uses no more itself.
  private struct Handover<Value>: @unchecked Sendable {
    let value: Value
    init(_ value: Value) { self.value = value }
  }

  /// Begins.
  ///
  /// - Parameter body: The action. It asks, again and again, whether it is over, and returns its result.
  public init(_ body: sending @escaping (_ isOver: () -> Bool) -> Result) {
    let flag = Flag()
    isOver = flag
    let work = Handover(body)
    Thread.detachNewThread { [self] in
      let result = work.value { flag.value.withLock { $0 } }
      self.result.withLock { $0 = result }
      hasEnded.signal()
    }
  }

  /// Has it end, waits until it has, and gives what came of it. To be called once.
  public func end() -> Result {
    isOver.value.withLock { $0 = true }
    return awaitEnd()
  }

  /// Waits until it has ended by itself, and gives what came of it. To be called once.
  public func awaitEnd() -> Result {
    hasEnded.wait()
    guard let result = result.withLock({ $0 }) else { preconditionFailure("it ended without a result") }
    return result
  }
}
