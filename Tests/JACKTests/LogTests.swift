import Synchronization
import Testing

@testable import JACK

extension JACKSuite {
  @Test("However many messages the library has for its log, the next one costs no more than the first")
  func manyMessages() {
    let counter = Counter()
    JACKLog.route { _, _ in counter.value.wrappingAdd(1, ordering: .relaxed) }
    defer { JACKLog.silence() }
    for _ in 0..<100_000 { "a message".withCString { JACKLog.write(.error, $0) } }
    #expect(counter.value.load(ordering: .relaxed) == 100_000)
  }
}

private final class Counter: Sendable {
  let value = Atomic<Int>(0)
}
