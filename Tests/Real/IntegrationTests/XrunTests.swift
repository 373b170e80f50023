import Glibc
import Stage
import Testing

/// Reports while JACK misses deadlines all the time.
@Suite(.serialized, .alone) struct XrunTests {
  @Test func `Missed deadlines are reported in one line in ten seconds, with their number`() throws {
    let scene = try Scene()
    let before = scene.logged(" xrun").count
    let start = ContinuousClock.now
    // Three in a second.
    for _ in 0..<12 {
      try scene.server.suspend()
      usleep(60_000)
      scene.server.resume()
      usleep(270_000)
    }
    #expect(scene.logged(" xrun").count - before <= Int((.now - start) / .seconds(10)) + 1)
    #expect(eventually { total(scene) >= 12 }, "\(scene.logged(" xrun"))")
    #expect(scene.logged(" xrun").count - before <= Int((.now - start) / .seconds(10)) + 1)
  }

  @Test func `Time that JACK loses while it rolls with other peers is reported once, with its effect`() throws
  {
    let scene = try Scene()
    try scene.join()
    try scene.roll()
    // Longer than the bridge corrects a start.
    try scene.probe.send("wait 6")
    let before = scene.logged("JACK has lost").count
    // The time by which a start that was itself disturbed is corrected is not lost.
    for _ in 0..<4 where scene.logged("JACK has lost").isEmpty {
      try scene.stall(milliseconds: 100)
      try scene.probe.send("wait 2.5")
    }
    try scene.stall(milliseconds: 100)
    try scene.probe.send("wait 2.5")
    let lines = scene.logged("JACK has lost")
    // The machine may have lost some by itself before.
    #expect(lines.count == 1, "\(lines)")
    guard try scene.probe.canJudge("how much time is told as lost", if: before == 0), let line = lines.first,
      let late = line.firstMatch(of: #/JACK has lost ([0-9.]+) ms/#).flatMap({ Double($0.output.1) })
    else { return }
    // The machine's own delays are lost time, too.
    #expect(late >= 50, "\(line)")
    #expect(line.contains("Start or locate again"))
  }

  /// The number that was reported.
  private func total(_ scene: Scene) -> Int {
    scene.logged(" xrun").compactMap { line in
      line.firstMatch(of: #/jackstay: (\d+) xrun/#).flatMap { Int($0.output.1) }
    }.reduce(0, +)
  }
}
