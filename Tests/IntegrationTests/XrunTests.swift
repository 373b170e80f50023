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

  /// How many have been told of.
  private func total(_ scene: Scene) -> Int {
    scene.logged("missed deadlines").compactMap { line in
      line.firstMatch(of: #/\(xruns (\d+)\)/#).flatMap { Int($0.output.1) }
    }.reduce(0, +)
  }
}
