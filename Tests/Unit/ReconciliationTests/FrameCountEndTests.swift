import MusicalTime
import PropertyTesting
import Reconciliation
import Simulation
import Testing

/// JACK counts a transport's frames in 32 bits, and begins again with 0 after a day at 48 kHz.
@Suite struct FrameCountEndTests {
  static let rules: [ServerRules] = [.jackd2, .pipewire, .modernPipewire]

  @Test(
    "A start at the end of JACK's frame count rolls once, in phase, and reports no fault", arguments: rules)
  func start(_ rules: ServerRules) throws {
    try forAll(100) { seed, random in
      let alignment = try #require(FrameAlignment.allCases.randomElement(using: &random))
      let launch = try #require(LaunchMode.allCases.randomElement(using: &random))
      let period: UInt32 = [64, 256, 1024].randomElement(using: &random) ?? 256
      var studio = Studio(
        .init(launch: launch, frameAlignment: alignment, rules: rules), period: period)
      studio.run(seconds: .random(in: 1...4, using: &random))
      let before = random.oneIn(2) ? 0 : UInt32.random(in: 0...(4 * period), using: &random)
      studio.run(seconds: 0.3, after: .clientLocates(frame: TransportFrame(.max - before)))
      if random.oneIn(2) { studio.engine.start() } else { studio.peerPlays() }
      let said = "seed \(seed): \(alignment) \(launch) \(period), \(before) frames before the end"
      #expect(studio.run { $0.isRolling }, "\(said)")
      let began = studio.decisions.count
      studio.run(seconds: 6)
      #expect(studio.isRolling, "\(said)")
      #expect(studio.isShownInPhase(within: .milliseconds(0.003)), "\(said)")
      let moves = studio.decisions[(began - 1)...].compactMap(\.transport)
      #expect(moves.isEmpty, "\(said): \(moves)")
      let faults = studio.notices.filter { notice in
        switch notice {
        case .transport(.launchWaits), .transport(.launchPostponed), .transport(.peerPressedPlay): false
        default: true
        }
      }
      #expect(faults.isEmpty, "\(said): \(faults)")
    }
  }
}
