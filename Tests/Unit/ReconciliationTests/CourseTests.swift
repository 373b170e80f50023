import MusicalTime
import PropertyTesting
import Testing

@testable import Reconciliation

@Suite struct CourseTests {
  @Test func `A rolling transport stays on its course, also where one of the two counts begins again`() {
    forAll(200) { seed, random in
      let frame = TransportFrame(.random(in: 0...UInt32.max, using: &random))
      let serverFrame = ServerFrame(.random(in: 0...UInt32.max, using: &random))
      let passed = UInt32.random(in: 0...UInt32.max, using: &random)
      let course = Course(of: frame, at: serverFrame)
      #expect(course.frame(at: serverFrame) == frame, "seed \(seed)")
      #expect(course.frame(at: serverFrame + passed) == frame + passed, "seed \(seed)")
    }
  }

  /// The step of a transport that has rolled for some cycles of 64 frames, from 1000 on.
  private static func step(
    to frame: TransportFrame, _ motion: TransportState = .rolling, counted serverFrame: ServerFrame = 256
  ) -> TransportStep {
    var watch = TransportWatch()
    for cycle: UInt32 in 0..<4 {
      _ = watch.observe(
        .rolling, at: TransportFrame(1000 + 64 * cycle), counted: ServerFrame(64 * cycle), period: 64)
    }
    return watch.observe(motion, at: frame, counted: serverFrame, period: 64)
  }

  @Test(
    arguments: [
      (1256, 256), (1320, 256), (1384, 256), (1192, 256), (1256, 320), (1576, 576), (1256, 4096),
    ] as [(TransportFrame, ServerFrame)])
  func `A transport on its course, missed cycles and torn reads included, rolls on`(
    frame: TransportFrame, counted: ServerFrame
  ) {
    let step = Self.step(to: frame, counted: counted)
    #expect(!step.isLocated && step.wasRolling && step.cycles == 4)
  }

  @Test(arguments: [1257, 1255, 1288, 1448, 1000, 0, 100_000] as [TransportFrame])
  func `A frame off the course by part of a period, or by more than two, is a locate`(frame: TransportFrame) {
    let step = Self.step(to: frame)
    #expect(step.isLocated && step.cycles == 0 && step.expected == 1256)
  }

  @Test func `Before the first period is known no frame but the expected one is on the course`() {
    #expect(isTorn(1000, from: 1000, period: 0) && !isTorn(1064, from: 1000, period: 0))
  }

  @Test(arguments: [1064, 1192] as [TransportFrame])
  func `A transport that stops on its course goes on from there after a torn read`(torn: TransportFrame) {
    var watch = TransportWatch()
    for (frame, counted) in [(1000, 0), (1064, 64), (torn, 128)] as [(TransportFrame, ServerFrame)] {
      _ = watch.observe(.rolling, at: frame, counted: counted, period: 64)
    }
    let step = watch.observe(.stopped, at: 1192, counted: 192, period: 64)
    #expect(!step.isLocated && step.expected == 1192)
  }

  @Test func `A transport stops in its last cycle or in the next, and elsewhere after a locate`() {
    #expect(!Self.step(to: 1192, .stopped).isLocated)
    #expect(!Self.step(to: 1256, .stopped).isLocated)
    #expect(Self.step(to: 1257, .stopped).isLocated)
    #expect(Self.step(to: 0, .starting).isLocated)
  }
}
