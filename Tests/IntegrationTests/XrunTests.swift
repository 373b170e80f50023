import Glibc
import Stage
import Testing

/// What people are told when JACK misses deadlines all the time.
@Suite(.serialized, .alone) struct XrunTests {
  @Test func `Missed deadlines are told of in one line in ten seconds, with their number`() throws {
    let scene = try Scene()
    let before = scene.logged("missed deadlines").count
    let start = ContinuousClock.now
    // Three in a second.
    for _ in 0..<12 {
      try scene.server.suspend()
      usleep(60_000)
      scene.server.resume()
      usleep(270_000)
    }
    #expect(scene.logged("missed deadlines").count - before <= Int((.now - start) / .seconds(10)) + 1)
    #expect(eventually { total(scene) >= 12 }, "\(scene.logged("missed deadlines"))")
    #expect(scene.logged("missed deadlines").count - before <= Int((.now - start) / .seconds(10)) + 1)
  }

  @Test func `Time that JACK loses while it rolls in company is told once, with what it means`() throws {
    let scene = try Scene()
    try scene.join()
    try scene.roll()
    // Longer than a start is put right.
    try scene.probe.send("wait 6")
    let before = scene.logged("has lost time").count
    // What a start that was itself disturbed is put right by is not lost.
    for _ in 0..<4 where scene.logged("has lost time").isEmpty {
      try scene.stall(milliseconds: 100)
      try scene.probe.send("wait 2.5")
    }
    try scene.stall(milliseconds: 100)
    try scene.probe.send("wait 2.5")
    let lines = scene.logged("has lost time")
    // The machine may have lost some by itself before.
    #expect(lines.count == 1, "\(lines)")
    guard try scene.probe.canJudge("how much time is told as lost", if: before == 0), let line = lines.first,
      let late = line.firstMatch(of: #/\(late ([0-9.]+) ms\)/#).flatMap({ Double($0.output.1) })
    else { return }
    // What the machine takes besides is lost, too.
    #expect(late >= 50, "\(line)")
    #expect(line.contains("until the next start or locate"))
  }

  /// How many have been told of.
  private func total(_ scene: Scene) -> Int {
    scene.logged("missed deadlines").compactMap { line in
      line.firstMatch(of: #/\(xruns (\d+)\)/#).flatMap { Int($0.output.1) }
    }.reduce(0, +)
  }
}
