import MusicalTime
import Synchronization
import Testing

@testable import Bridge

@Suite struct ControlQueueTests {
  @Test func `Everything runs once, one after the other, in the order in which it was asked for`() async {
    let queue = ControlQueue()
    let order = await withCheckedContinuation { continuation in
      let ran = Collected()
      for number in 0..<1000 { queue.run { ran.add(number) } }
      queue.run { continuation.resume(returning: ran.all) }
    }
    #expect(order == Array(0..<1000))
  }

  @Test func `An action that is to run later runs in the order of its time, and not before its time`() async {
    let queue = ControlQueue()
    let begin = ContinuousClock.now
    let (ran, lateness) = await withCheckedContinuation { continuation in
      let ran = Collected()
      for milliseconds in [30, 10, 20, 10] {
        queue.run(after: .milliseconds(Double(milliseconds))) {
          ran.add(milliseconds)
          if ran.all.count == 4 { continuation.resume(returning: (ran.all, ContinuousClock.now - begin)) }
        }
      }
      queue.run { ran.add(0) }
    }
    // Those four of the five that were to run first.
    #expect(ran == [0, 10, 10, 20])
    #expect(lateness >= .milliseconds(20))
  }

  @Test func `An actor on it is isolated to its thread, wherever it is called from`() async {
    let counter = Counter()
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<100 { group.addTask { await counter.increment() } }
    }
    #expect(await counter.count == 100)
    let isOnQueue = await withCheckedContinuation { continuation in
      counter.queue.run { counter.assumeIsolated { continuation.resume(returning: $0.count == 100) } }
    }
    #expect(isOnQueue)
  }

  @Test func `An action that is due when the queue goes still runs, and one that is to run later does not`()
    async
  {
    let (due, late) = (Collected(), Collected())
    await withCheckedContinuation { continuation in
      let queue = ControlQueue()
      queue.run(after: .milliseconds(50)) { late.add(1) }
      queue.run {
        due.add(1)
        continuation.resume()
      }
    }
    #expect(due.all == [1])
    try? await Task.sleep(for: .milliseconds(100))
    #expect(late.all.isEmpty)
  }
}

private final class Collected: Sendable {
  private let numbers = Mutex<[Int]>([])

  var all: [Int] { numbers.withLock { $0 } }

  func add(_ number: Int) { numbers.withLock { $0.append(number) } }
}

private actor Counter {
  let queue = ControlQueue()
  private(set) var count = 0

  nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

  func increment() {
    queue.checkIsolated()
    count += 1
  }
}
