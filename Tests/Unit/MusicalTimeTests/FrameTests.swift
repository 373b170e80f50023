import MusicalTime
import PropertyTesting
import Testing

@Suite struct TransportFrameTests {
  @Test func `A distance is the shorter one around the wrap, and leads from one frame to the other`() {
    forAll(1000) { seed, random in
      let from = TransportFrame(.random(in: 0...UInt32.max, using: &random))
      let way = FrameCount(.random(in: Int64(Int32.min)...Int64(Int32.max), using: &random))
      let to = from + way
      #expect(to - from == way, "seed \(seed)")
      #expect(to - way == from, "seed \(seed)")
      #expect(from + (to - from) == to, "seed \(seed)")
    }
  }

  @Test func `The count begins again after its last frame, in both directions`() {
    let last = TransportFrame(.max)
    #expect(last + 1 == 0)
    #expect(last + FrameCount(257) == 256)
    #expect((0 as TransportFrame) - FrameCount(1) == last)
    #expect((0 as TransportFrame) + FrameCount(-1) == last)
    #expect((5 as TransportFrame) - last == FrameCount(6))
    #expect(last - 5 == FrameCount(-6))
  }

  @Test func `Forwards every frame is ahead, and one that comes before is nearly all the way around`() {
    #expect(TransportFrame(256).frames(since: 0) == 256)
    #expect(TransportFrame(5).frames(since: TransportFrame(.max)) == 6)
    #expect(TransportFrame(0).frames(since: 1) == .max)
  }

  @Test func `Since zero no frame is negative, however far it is`() {
    #expect(TransportFrame(0).sinceZero == FrameCount(0))
    #expect(TransportFrame(.max).sinceZero == FrameCount(4_294_967_295))
    #expect("\(TransportFrame(.max))" == "4294967295")
  }
}

@Suite struct ServerFrameTests {
  @Test func `A count of frames is the same across the wrap`() {
    forAll(1000) { seed, random in
      let from = ServerFrame(.random(in: 0...UInt32.max, using: &random))
      let count = UInt32.random(in: 0...UInt32.max, using: &random)
      let to = from + count
      #expect(to.frames(since: from) == count, "seed \(seed)")
      #expect(to - count == from, "seed \(seed)")
    }
    #expect(ServerFrame(.max) + 1 == 0)
    #expect((0 as ServerFrame) - 256 == ServerFrame(.max - 255))
    #expect("\(ServerFrame(.max))" == "4294967295")
  }
}

@Suite struct FrameCountTests {
  @Test func `Counts add up, and a difference added to its subtrahend is the minuend`() {
    #expect(FrameCount(3) + FrameCount(-5) == FrameCount(-2))
    #expect(FrameCount(3) - FrameCount(5) == FrameCount(-2))
  }
}
