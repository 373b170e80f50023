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

  // MARK: Changes

  /// An owner that declares a tempo in each cycle, and plays it.
  private struct Declarations {
    var word = OwnersWord()
    var noise = 1e-6
    private(set) var time = HostTime<LinkClock>(nanoseconds: 5_000_000_000)
    private var last: Double?

    /// Declares tempos in cycles of so many milliseconds. Beats may be too many.
    mutating func hear(_ tempos: [Double], each milliseconds: Double = 10, excess: Double = 0) {
      for tempo in tempos {
        time = time + .milliseconds(milliseconds)
        let length = HostInterval.milliseconds(milliseconds)
        let beats = last.map { ($0 + tempo) / 120 * length.seconds + excess }
        word.hear(tempo, at: time, passed: beats.map { ($0, length) }, noise: noise)
        last = tempo
      }
    }

    var glides: Double { word.glideLength.milliseconds }
    var isKeptFor: Double { word.keptFor(at: time).milliseconds }
  }

  @Test func `A glide is as long as from its first change to its last, with pauses of a quarter of a second`()
  {
    for (pause, expected) in [(25, 340.0), (26, 0)] {
      var owner = Declarations()
      owner.hear([120, 120, 120])
      #expect(owner.glides == 0)
      owner.hear([121])
      #expect(owner.glides == 0)
      owner.hear([122, 123, 124, 125, 126, 127, 128, 129, 130])
      #expect(owner.glides == 90)
      owner.hear(Array(repeating: 130, count: pause - 1))
      #expect(owner.glides == 90)
      owner.hear([131])
      #expect(owner.glides == expected, "\(pause)")
    }
  }

  @Test("It goes to one side", arguments: [1.0, -1])
  func oneSide(side: Double) {
    var owner = Declarations()
    owner.hear([120, 120 + side, 120 + 2 * side, 120 + 3 * side])
    #expect(owner.glides == 20 && owner.isKeptFor == 20)
    owner.hear([120 + 2 * side])
    // It is no longer known what beats keep to.
    #expect(owner.glides == 0 && owner.isKeptFor == 0)
    owner.hear([120 + side])
    #expect(owner.glides == 0 && owner.isKeptFor == 10)
    owner.hear([120])
    #expect(owner.glides == 10)
  }

  @Test(
    "It changes by a twentieth from one cycle to the next at most, or by all of it in a second",
    arguments: [
      (10, 104.9, 20.0), (10, 105.1, 10), (40, 105.1, 40), (100, 109.9, 200), (100, 110.1, 100),
      (10, 95.1, 20), (10, 94.9, 10),
    ])
  func steepest(cycle: Double, next: Double, expected: Double) {
    var owner = Declarations()
    let further = next > 100 ? 0.1 : -0.1
    owner.hear([100, next, next + further, next + 2 * further], each: cycle)
    #expect(owner.glides == expected)
  }

  @Test(
    "Or by up to twice as much as in the cycle before, however slow it has become",
    arguments: [
      ([200, 193, 180, 166, 152], 30), ([200, 193, 178], 0), ([100, 150, 199, 248], 10),
    ] as [([Double], Double)])
  func even(tempos: [Double], expected: Double) {
    var owner = Declarations()
    owner.hear(tempos)
    #expect(owner.glides == expected)
  }

  @Test func `A tempo that is declared anew within a sound card's error is the same`() {
    var owner = Declarations()
    owner.hear([120])
    let since = owner.time
    owner.hear([120.02, 119.98, 120.02])
    #expect(owner.word.since == since && owner.word.beatsPerMinute == 120)
    owner.hear([120.03])
    #expect(owner.word.since == owner.time && owner.word.beatsPerMinute == 120.03)
  }

  @Test func `Beats are kept to from the first cycle on whose beats are known, until they are not`() {
    var owner = Declarations()
    owner.hear([120])
    #expect(owner.isKeptFor == 0)
    owner.hear([120, 120, 120, 120])
    #expect(owner.isKeptFor == 30)
    owner.word.prove()
    owner.hear([120], excess: 2e-6)
    #expect(owner.isKeptFor == 0 && !owner.word.isKept)
    // From here on they are, and nothing is left of it.
    owner.hear([120, 120, 120])
    #expect(owner.isKeptFor == 20)
    owner.word.prove()
    owner.word.interrupt()
    #expect(owner.isKeptFor == 0 && owner.word.isKept)
    owner.hear([120, 120])
    #expect(owner.isKeptFor == 10)
  }

  @Test(
    "From one declared tempo to the next beats may pass at both, and between them",
    arguments: [(120, 126), (126, 120)],
    [(0.0199, false), (0.02, true), (0.0205, true), (0.021, true), (0.0211, false)])
  func between(tempos: (Double, Double), beats: (passed: Double, areKept: Bool)) {
    var word = OwnersWord()
    let time = HostTime<LinkClock>(nanoseconds: 0)
    word.hear(tempos.0, at: time, passed: nil, noise: 1e-6)
    word.prove()
    word.hear(
      tempos.1, at: time + .milliseconds(10), passed: (beats.passed, .milliseconds(10)), noise: 1e-6)
    #expect(word.isKept == beats.areKept)
  }
}
