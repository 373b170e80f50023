import Stage
import Testing

/// A sequencer's loop with other peers in the session, at 240 beats per minute: a bar is a quantum, a second
/// and 48 000 frames.
@Suite(.serialized, .alone, .measured) struct LoopTests {
  @Test(.onEveryServer, arguments: [1, 2]) func `A loop of whole bars goes on in phase, without a wait`(
    bars: Double
  )
    throws
  {
    let scene = try Scene(bpm: 240)
    try scene.join()
    // A peer that joins later moves its own beat, and that may be the probe.
    let jumps = try scene.probe.peers()["link_jumps"]
    let seams = try loop(bars: bars, in: scene)
    for seam in seams.exact {
      // The time since the end of the loop is left out: some periods. A transport that waits begins at the
      // beginning.
      #expect(seam.way > 0 && seam.way < 12_000, "\(seam)")
    }
    if seams.isExact { #expect(scene.logged("start waits").count <= 1) }
    guard !seams.exact.isEmpty else { return }
    #expect(seams.undisturbed.median { $0.certain("err_out") } < shown(in: scene), "\(seams)")
    #expect(seams.undisturbed.median { $0.certain("frame_err_out") } < accuracy + frameLength, "\(seams)")
    #expect(try scene.probe.peers()["link_jumps"] == jumps)
  }

  @Test func `A loop of a bar and a half waits for its phase`() throws {
    let scene = try Scene(bpm: 240)
    try scene.join()
    let seams = try loop(bars: 1.5, in: scene)
    guard !seams.exact.isEmpty else { return }
    for seam in seams.exact { #expect(abs(seam.way) < Double(scene.server.period), "\(seam)") }
    #expect(seams.undisturbed.median { $0.certain("frame_err_out") } < accuracy + frameLength, "\(seams)")
  }

  @Test func `A loop of a bar and a half rolls on where that is wanted, and its bars are Link's`() throws {
    let scene = try Scene(bpm: 240, flags: ["--on-locate", "roll"])
    try scene.join()
    let seams = try loop(bars: 1.5, in: scene)
    // It goes on from where it was put.
    guard !seams.exact.isEmpty else { return }
    for seam in seams.exact { #expect(seam.way >= 0 && seam.way < 12_000, "\(seam)") }
    #expect(seams.undisturbed.median { $0.certain("err_out") } < shown(in: scene), "\(seams)")
    #expect(!scene.logged("JACK rolls on").isEmpty)
  }

  /// How near the position has to be to Link.
  private func shown(in scene: Scene) -> Double { accuracy + scene.coarseness(at: 240) }

  /// Goes through a loop until some seams can be judged, within reason.
  private func loop(bars: Double, in scene: Scene) throws -> [Seam] {
    try scene.loop(bars: bars, bpm: 240, 4, atMost: 24)
  }
}

extension [Seam] {
  /// The reports on those that can be judged.
  fileprivate var undisturbed: [ProbeReport] { exact.map(\.report) }
}
