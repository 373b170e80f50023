import Foundation
import PropertyTesting
import Stage

extension Acceptance {
  /// A thousand random presses, locates and tempo changes from all sides.
  static func presses() throws -> [Figure] {
    let scene = try Scene(bpm: 150)
    defer { scene.end() }
    try scene.join()
    let seed: UInt64 = 1
    var random = Seeded(seed: seed)
    let tally = try scene.press(1000, using: &random)
    if !tally.isClean {
      let trail = (tally.trail + scene.probe.gridMoves.map(\.text)).joined(separator: "; ")
      let line = "presses before the first fault, and moves of the grid: \(trail)\n"
      FileHandle.standardError.write(Data(line.utf8))
    }
    let after = "after 1,000 random presses, seed \(seed)"
    return [
      Figure(
        name: "JACK and Link not agreed, \(after)", value: Double(tally.disagreements), limit: 0, unit: ""),
      Figure(name: "stops lost, \(after)", value: Double(tally.lostStops), limit: 0, unit: ""),
      Figure(name: "starts lost, \(after)", value: Double(tally.lostStarts), limit: 0, unit: ""),
      Figure(name: "link_jumps, \(after)", value: Double(tally.linkJumps), limit: 0, unit: ""),
    ]
  }
}
