import Foundation
import Stage
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

  @Test("A client is not closed while a thread of JACK's, which that ends, is saying something")
  func closingMeanwhile() async throws {
    let server = try JackServer.started()
    let client = try Client.open(name: "talkative", server: server.name).activate(RealtimeHandler())
    let visit = Visit()
    JACKLog.route { _, _ in visit.last(milliseconds: 300) }
    defer { JACKLog.silence() }
    // JACK's thread logs that before it notifies clients.
    server.kill()
    #expect(try await eventually { visit.hasBegun })
    client.close()
    #expect(visit.hasEnded)
  }
}

/// The first visit of a thread.
private final class Visit: Sendable {
  private let thread = Atomic<pid_t>(0)
  private let end = Atomic<Bool>(false)

  var hasBegun: Bool { thread.load(ordering: .acquiring) != 0 }
  var hasEnded: Bool { end.load(ordering: .acquiring) }

  func last(milliseconds: UInt32) {
    let caller = LibJACK.currentThread
    guard thread.compareExchange(expected: 0, desired: caller, ordering: .acquiringAndReleasing).exchanged
    else { return }
    usleep(milliseconds * 1000)
    end.store(true, ordering: .releasing)
  }
}

private final class Counter: Sendable {
  let value = Atomic<Int>(0)
}
