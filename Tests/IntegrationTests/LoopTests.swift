import Foundation
import Stage
import Testing

/// What becomes of a sequencer's loop in company, at 240 beats per minute: a bar is a quantum, a second and 48 000 frames.
@Suite(.serialized, .alone, .measured) struct LoopTests {
  /// How often a loop is gone through.
  private static let count = ProcessInfo.processInfo.environment["JACKSTAY_LOOPS"].flatMap(Int.init) ?? 4

  @Test(arguments: [1, 2, 4]) func `A loop of whole bars goes on in phase, without a wait`(bars: Double)
    throws
  {
    let scene = try Scene(bpm: 240)
    try scene.join()
    let seams = try loop(bars: bars, in: scene)
    for seam in seams.exact {
      // What has passed since the end of the loop is left out: some periods. Whoever waits begins at the beginning.
      #expect(seam.way > 0 && seam.way < 12_000, "\(seam)")
    }
    if seams.isExact { #expect(scene.logged("start waits").count <= 1) }
    guard !seams.exact.isEmpty else { return }
    #expect(seams.undisturbed.median { $0.certain("err_out") } < accuracy, "\(seams)")
    #expect(seams.undisturbed.median { $0.certain("frame_err_out") } < accuracy + frameLength, "\(seams)")
    #expect(try scene.probe.peers()["link_jumps"] == 0)
    summarize("\(bars) bars", seams)
  }

  @Test func `A loop of a bar and a half waits for its phase`() throws {
    let scene = try Scene(bpm: 240)
    try scene.join()
    let seams = try loop(bars: 1.5, in: scene)
    guard !seams.exact.isEmpty else { return }
    for seam in seams.exact { #expect(abs(seam.way) < Double(scene.server.period), "\(seam)") }
    #expect(seams.undisturbed.median { $0.certain("frame_err_out") } < accuracy + frameLength, "\(seams)")
    summarize("1.5 bars, wait", seams)
  }

  @Test func `A loop of a bar and a half rolls on where that is wanted, and its bars are Link's`() throws {
    let scene = try Scene(bpm: 240, flags: ["--on-locate", "roll"])
    try scene.join()
    let seams = try loop(bars: 1.5, in: scene)
    // It goes on from where it was put.
    guard !seams.exact.isEmpty else { return }
    for seam in seams.exact { #expect(seam.way >= 0 && seam.way < 12_000, "\(seam)") }
    #expect(seams.undisturbed.median { $0.certain("err_out") } < accuracy, "\(seams)")
    #expect(!scene.logged("rolling on").isEmpty)
    summarize("1.5 bars, roll", seams)
  }

  fileprivate struct Seam {
    /// How far the first rolling frame is from where the loop begins.
    var way: Double
    var report: ProbeReport
  }

  /// Starts at a bar and goes through a loop from there, again and again.
  ///
  /// As often as it takes until enough seams could be judged, within reason.
  private func loop(bars: Double, in scene: Scene) throws -> [Seam] {
    let first = 96_000.0
    try scene.probe.send("locate \(Int(first))")
    try scene.probe.send("wait 0.1")
    _ = try scene.probe.launch()
    var seams: [Seam] = []
    defer {
      let missed = seams.map { Int(($0.report["xruns"] ?? 0) + ($0.report["late"] ?? 0)) }.reduce(0, +)
      Judged(
        "the seams of a loop of \(bars) bars", isJudged: !seams.exact.isEmpty, attempts: seams.count,
        missed: missed
      ).tell()
    }
    while seams.exact.count < Self.count, seams.count < Self.count * 6 {
      let line = scene.probe.child.lines().count
      try scene.probe.send("loop \(Int(first)) \(Int(bars * 48_000))")
      let report = try scene.probe.awaitReport("the loop's seam", from: line, timeout: .seconds(30)) {
        $0.word("watch") == "loop -> jack rolling"
      }
      seams.append(Seam(way: try #require(report["frame"]) - first, report: report))
    }
    return seams
  }

  private func summarize(_ name: String, _ seams: [Seam]) {
    guard Self.count > 4 else { return }
    let frames = seams.map { Int($0.way) }
    let (bbt, phase) = ("err_out", "frame_err_out")
    print(
      name, "frames left out:", frames, "BBT us:", seams.map { $0.report[bbt] ?? .nan }, "frames us:",
      seams.map { $0.report[phase] ?? .nan })
  }
}

extension [LoopTests.Seam] {
  /// Those without a missed deadline in the loop and in the one before it: what one has moved shows at the next seam.
  fileprivate var exact: [LoopTests.Seam] {
    indices.filter { index in
      self[index].report.isUndisturbed && (index == 0 || self[index - 1].report.isUndisturbed)
    }.map { self[$0] }
  }

  /// Whether no deadline was missed at all.
  fileprivate var isExact: Bool { allSatisfy(\.report.isUndisturbed) }

  /// The reports on those that can be judged.
  fileprivate var undisturbed: [ProbeReport] { exact.map(\.report) }
}
