import Foundation
import Glibc
import Stage

extension Acceptance {
  /// Starts with an owner in the lead, on a machine of which a thief takes 15 %: how far from Link the
  /// owner's beat is heard two bars after the last deadline that was missed.
  static func busy() throws -> [Figure] {
    try [256, 1024].flatMap { try ownersStarts(period: $0, count: 50) }
  }

  /// The thief goes on for half a second of each roll, and pauses while that is judged: else no two bars
  /// would be quiet.
  private static func ownersStarts(period: Int, count: Int) throws -> [Figure] {
    let scene = try Scene(period: period, bpm: 240)
    defer { scene.end() }
    try scene.join()
    try scene.lead(scene.probe, bpm: 240)
    let thief = try Child(Products.path("thief"), ["--share", "0.15", "--seed", "\(period)"])
    defer { thief.terminate() }
    let before = try scene.probe.peers()
    var errors: [Double] = []
    for number in 0..<count {
      try scene.rest()
      try scene.probe.send("locate \(Int.random(in: 0...2_000_000))")
      try scene.probe.send("wait 0.3")
      try scene.probe.send(number.isMultiple(of: 2) ? "jackstart" : "playnow")
      guard try scene.probe.awaitState("rolling", seconds: 30) else {
        throw Failure("start \(number) does not roll")
      }
      try scene.probe.send("wait 0.5")
      _ = thief.signal(SIGSTOP)
      defer { _ = thief.signal(SIGCONT) }
      errors.append(try heardInTheQuiet(scene))
    }
    let after = try scene.probe.peers()
    let missed = ((after["late"] ?? 0) - (before["late"] ?? 0))
    let name = "\(count) starts with an owner beside a thief, p = \(period), \(Int(missed)) missed deadlines"
    return [
      Figure(
        name: "heard two bars after the last, \(name), worst", value: errors.max(), limit: 3000, unit: "us"),
      Figure(name: "the same, middle", value: errors.median, limit: 3000, unit: "us"),
      Figure(
        name: "starts that were further off", value: Double(errors.count { $0 > 3000 }), limit: 0, unit: ""),
      Figure(
        name: "link_jumps, \(name)", value: (after["link_jumps"] ?? .nan) - (before["link_jumps"] ?? .nan),
        limit: 0, unit: ""),
    ]
  }

  /// How far off the owner's beat is heard when no deadline has been missed for two bars, which last a second
  /// each.
  private static func heardInTheQuiet(_ scene: Scene) throws -> Double {
    for _ in 0..<10 {
      let quiet = try scene.probe.measure("quiet", seconds: 2)
      let judged = try scene.probe.measure("heard", seconds: 0.5)
      guard quiet["late"] == 0, judged["late"] == 0, judged["rolling"] == judged["cycles"] else { continue }
      return abs(judged["heard_med"] ?? .infinity)
    }
    throw Failure("no two bars without a missed deadline, and no thief")
  }
}
