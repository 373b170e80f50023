import MusicalTime
import PropertyTesting
import Testing

@testable import Reconciliation

@Suite struct CourseTests {
  @Test("A rolling transport stays on its course, also where one of the two counts begins again")
  func steady() {
    forAll(200) { seed, random in
      let frame = TransportFrame(.random(in: 0...UInt32.max, using: &random))
      let serverFrame = ServerFrame(.random(in: 0...UInt32.max, using: &random))
      let passed = UInt32.random(in: 0...UInt32.max, using: &random)
      let course = Course(of: frame, at: serverFrame)
      #expect(course.frame(at: serverFrame) == frame, "seed \(seed)")
      #expect(course.frame(at: serverFrame + passed) == frame + passed, "seed \(seed)")
    }
  }
}
