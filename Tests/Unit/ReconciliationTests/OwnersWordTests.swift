import MusicalTime
import Testing

@testable import Reconciliation

/// An owner's declarations are believed as long as its beats keep to them, but for what its ticks may be off by.
@Suite struct OwnersWordTests {
  /// Hears an owner that declares 120 bpm, in cycles of so many seconds in which so many beats too many pass, and
  /// returns whether it is still believed.
  private static func isKept(_ cycles: [(excess: Double, seconds: Double)]) -> Bool {
    var word = OwnersWord()
    var time = HostTime<LinkClock>(nanoseconds: 0)
    word.hear(120, at: time, passed: nil, noise: 1e-3)
    word.prove()
    for (excess, seconds) in cycles {
      let interval = HostInterval(nanoseconds: Int64(seconds * 1e9))
      time = time + interval
      word.hear(120, at: time, passed: (seconds * 2 + excess, interval), noise: 1e-3)
    }
    return word.isKept
  }

  @Test(arguments: [4e-4, -4e-4])
  func `Beats that are too many or too few by little in each cycle add up`(excess: Double) {
    #expect(!Self.isKept(Array(repeating: (excess, 0.01), count: 4)))
    #expect(Self.isKept([(excess, 0.01), (excess, 0.01)]))
  }

  @Test(arguments: [6e-4, -6e-4])
  func `They are forgotten within a quarter of a second, at once or bit by bit`(excess: Double) {
    #expect(!Self.isKept([(excess, 0.01), (excess, 0.01)]))
    for gap in [[0.1, 0.1], [0.3], [2]] {
      #expect(Self.isKept([(excess, 0.01)] + gap.map { (0, $0) } + [(excess, 0.01)]), "\(gap)")
    }
  }
}
