import MusicalTime
import Testing

@testable import Reconciliation

/// How JACK takes a relocation, in the cycles after it was asked for.
@Suite struct RequestedFramesTests {
  @Test func `JACK asks about a relocation in the second cycle after it, and shows it by the fourth`() {
    var frames = RequestedFrames(shown: 100)
    frames.ask(for: 200)
    for cycle in 0...5 {
      #expect(frames.isUnknown == (cycle < 2), "in cycle \(cycle)")
      #expect(frames.isAsked == (cycle <= 2), "in cycle \(cycle)")
      #expect(frames.isUnderWay == (cycle <= 3), "in cycle \(cycle)")
      #expect(frames.isOvertaken == (cycle > 3), "in cycle \(cycle)")
      let isAnothers = frames.isRelocated(by: 100)
      #expect(!isAnothers)
    }
  }

  @Test func `The frame before, the last request and the one before it are no other client's`() {
    var frames = RequestedFrames(shown: 100)
    frames.ask(for: 200)
    frames.ask(for: 300)
    let shown: [TransportFrame] = [100, 200, 300, 200, 400]
    #expect(shown.map { frames.isRelocated(by: $0) } == [false, false, false, false, true])
    #expect(frames.isRequested(200) && frames.isRequested(300) && !frames.isRequested(100))
    frames.accept(400)
    #expect(frames.isShown && !frames.isUnknown && frames.isAsked)
    frames.yield()
    #expect(frames.requested == nil && frames.isShown && !frames.isAsked)
  }

  @Test func `A playhead is asked back in the fifth cycle of a rest, and may be away for three more`() {
    var frames = RequestedFrames(shown: 100)
    frames.ask(for: 200)
    var putBack = PutBack(to: 100, from: frames)
    for cycle in 1...10 {
      let isDue = putBack.isDue(at: 200)
      #expect(isDue == (cycle == 5), "in cycle \(cycle)")
      #expect(putBack.isUnderWay == (5...7).contains(cycle), "in cycle \(cycle)")
      #expect(putBack.isDone == (cycle > 7), "in cycle \(cycle)")
    }
  }

  @Test("As it is asked back the playhead is known to be where JACK shows it, whatever was asked for before")
  func awayAnew() {
    var frames = RequestedFrames(shown: 100)
    frames.ask(for: 300)
    // A client has located between the bridge's request and its answer.
    _ = frames.isRelocated(by: 200)
    frames.accept(200)
    var putBack = PutBack(to: 100, from: frames)
    for cycle in 1...8 {
      #expect(putBack.isShown(at: 300), "in cycle \(cycle)")
      _ = putBack.isDue(at: 300)
    }
    #expect(putBack.isShown(at: 300) && putBack.isShown(at: 100) && !putBack.isShown(at: 200))
  }
}
