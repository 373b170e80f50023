import MusicalTime
import Reconciliation
import Simulation
import Testing

/// Walks the table of states that a join finds, in the documentation of `StartStop`.
@Suite struct JoinTableTests {
  enum Press: CaseIterable { case jackStarts, jackStops, userStarts, userStops, peerPlays, peerStops }

  /// A bridge that has joined a session whose state Link does not report; the bridge's own copy of it may be
  /// an old one.
  private static func joined(jackRolls: Bool, copyPlays: Bool, hasOwner: Bool) -> Studio {
    var studio = Studio()
    if copyPlays { studio.peerPlays() }
    studio.peers = 0
    studio.isEnabled = false
    if hasOwner { studio.owner = .other }
    if jackRolls {
      studio.engine.start()
      for _ in 0..<4 { studio.engine.beginCycle() }
    }
    studio.run(seconds: 0.6)
    studio.isEnabled = true
    studio.run(seconds: 0.1)
    studio.peers = 1
    studio.shiftGrid(by: Beats(nanobeats: 1_300_000_000))
    return studio
  }

  @Test(arguments: [true, false], [true, false])
  func `A join presses nothing, and the next press makes all agree`(jackRolls: Bool, hasOwner: Bool) {
    for copyPlays in [true, false] {
      let world = Self.joined(jackRolls: jackRolls, copyPlays: copyPlays, hasOwner: hasOwner)
      // Before a peer gets it, the bridge's own copy is made JACK's.
      #expect(world.isPlaying == jackRolls)
      var idle = world
      idle.run(seconds: 4)
      let since = idle.decisions.dropFirst(world.decisions.count)
      #expect(since.allSatisfy { $0.transport == nil && $0.link.isPlaying == nil })
      for press in Press.allCases {
        // JACK does not report a request for the state that it has.
        if press == (jackRolls ? .jackStarts : .jackStops) { continue }
        var studio = idle
        let isStart = press == .jackStarts || press == .userStarts || press == .peerPlays
        switch press {
        case .jackStarts: studio.engine.start()
        case .jackStops: studio.engine.stop()
        case .userStarts: studio.command = .start
        case .userStops: studio.command = .stop
        case .peerPlays: studio.peerPlays()
        case .peerStops: studio.peerStops()
        }
        studio.run(seconds: 5)
        let told = studio.decisions.dropFirst(idle.decisions.count).compactMap {
          $0.link.isPlaying?.isPlaying
        }
        let isPeers = press == .peerPlays || press == .peerStops
        #expect(told == (isPeers ? [] : [isStart]), "\(press), our copy plays: \(copyPlays)")
        #expect(studio.isRolling == isStart && studio.isPlaying == isStart, "\(press)")
      }
    }
  }
}
