import Foundation
import Realtime
import Synchronization
import Testing

@Suite struct RealtimeTests {
  struct Pair: BitwiseCopyable, Sendable {
    var first: Int
    var second: Int
  }

  @Test func `A mailbox reads as its latest value`() {
    let mailbox = LatestValue(1)
    #expect(mailbox.reader.read() == 1)
    mailbox.writer.write(2)
    mailbox.writer.write(3)
    #expect(mailbox.reader.read() == 3)
    #expect(mailbox.reader.read() == 3)
  }

  @Test("A wakeup is answered soon after it was rung, on a thread of its own, and never after it is gone")
  func wakeup() {
    let answers = Atomic<Int>(0)
    let wasElsewhere = Atomic<Bool>(false)
    let here = pthread_self()
    do {
      let wakeup = Wakeup {
        wasElsewhere.store(pthread_equal(pthread_self(), here) == 0, ordering: .relaxed)
        answers.add(1, ordering: .releasing)
      }
      for round in 1...50 {
        wakeup.sender.send()
        let deadline = ContinuousClock.now + .seconds(10)
        while answers.load(ordering: .acquiring) < round, ContinuousClock.now < deadline { usleep(100) }
      }
      let all = answers.load(ordering: .acquiring)
      #expect(all == 50)
      for _ in 0..<1000 { wakeup.sender.send() }
    }
    let last = answers.load(ordering: .acquiring)
    usleep(20_000)
    let now = answers.load(ordering: .acquiring)
    #expect(now == last)
    let isElsewhere = wasElsewhere.load(ordering: .relaxed)
    #expect(isElsewhere)
  }

  @Test func `An item that the reader of a ring has not removed stays visible, also to the writer`() {
    let ring = Ring<Int>(capacity: 2)
    #expect(ring.isEmpty && ring.reader.first() == nil && ring.writer.waiting == 0)
    for item in 1...9 {
      #expect(ring.writer.push(item) && ring.writer.push(-item) && !ring.writer.push(0))
      #expect(ring.writer.waiting == 2 && ring.writer.pushed(back: 2) == item)
      #expect(ring.reader.first() == item && ring.reader.first() == item)
      #expect(ring.reader.pop() == item && ring.reader.first() == -item && !ring.isEmpty)
      #expect(ring.writer.waiting == 1 && ring.writer.pushed(back: 1) == -item)
      #expect(ring.reader.pop() == -item && ring.isEmpty)
    }
  }

  @Test func `A mailbox is never read half written, and never goes back`() {
    let mailbox = LatestValue(Pair(first: 0, second: 0))
    let writer = Thread {
      for count in 1...200_000 { mailbox.writer.write(Pair(first: count, second: -count)) }
    }
    writer.start()
    var last = 0
    var torn = 0
    var back = 0
    while last < 200_000 {
      let value = mailbox.reader.read()
      if value.first != -value.second { torn += 1 }
      if value.first < last { back += 1 }
      last = value.first
    }
    #expect(torn == 0)
    #expect(back == 0)
  }

  @Test func `A ring hands all items over in order, rejects an item that does not fit, and loses none`() {
    let ring = Ring<Int>(capacity: 3)
    #expect((0..<5).map { ring.writer.push($0) } == [true, true, true, true, false])
    #expect((0..<5).map { _ in ring.reader.pop() } == [0, 1, 2, 3, nil])
  }

  @Test func `A ring between two threads keeps order and count`() {
    let ring = Ring<Int>(capacity: 64)
    let producer = Thread {
      for item in 0..<200_000 {
        while !ring.writer.push(item) { sched_yield() }
      }
    }
    producer.start()
    var expected = 0
    var misplaced = 0
    while expected < 200_000 {
      guard let item = ring.reader.pop() else {
        sched_yield()
        continue
      }
      if item != expected { misplaced += 1 }
      expected += 1
    }
    #expect(misplaced == 0)
    #expect(ring.reader.pop() == nil)
  }
}
