/// The tasks that wait for something that other events of the bridge bring about.
struct Waits {
  private struct Wait {
    let condition: () -> Bool
    let continuation: CheckedContinuation<Void, Never>
  }

  private var waits: [Int: Wait] = [:]
  private var count = 0

  /// A number for a wait that begins.
  mutating func begin() -> Int {
    count += 1
    return count
  }

  /// A task waits until the condition holds, or its wait is ended.
  mutating func wait(
    _ number: Int, until condition: @escaping () -> Bool, _ continuation: CheckedContinuation<Void, Never>
  ) {
    waits[number] = Wait(condition: condition, continuation: continuation)
  }

  /// Ends the waits of which the condition holds by now.
  mutating func look() { for (number, wait) in waits where wait.condition() { end(number) } }

  /// Ends a wait; one that has ended already does no harm.
  mutating func end(_ number: Int) { waits.removeValue(forKey: number)?.continuation.resume() }
}
