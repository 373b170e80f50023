/// Where JACK went on at the end of a loop.
public struct Seam: Sendable {
  /// How far the first rolling frame is from where the loop begins.
  public let way: Double
  /// The report on the first rolling cycle.
  public let report: ProbeReport
  /// Whether JACK's own times had kept to its frames for long enough to be right to the microsecond.
  public let isSettled: Bool
}

extension Scene {
  /// Starts at a bar and goes through a loop from there, again and again, as a sequencer does; a bar is four
  /// beats.
  ///
  /// As often as it takes until enough seams can be judged, within reason.
  ///
  /// - Parameters:
  ///   - bars: How long it is.
  ///   - bpm: The session's tempo, at which a bar is a whole part of 96,000 frames.
  ///   - count: How many seams are to be judged.
  ///   - limit: How many there are at most.
  ///   - settling: For how many seconds JACK's times are to have kept to its frames where they are judged.
  ///     After a missed deadline, and a wake-up that is late by less, they are off for a few.
  /// - Returns: All seams, of which those can be judged that are exact, and settled.
  /// - Throws: ``StageError`` when JACK does not go on.
  public func loop(
    bars: Double, bpm: Double, _ count: Int, atMost limit: Int, settling: Double = 0
  ) throws(StageError) -> [Seam] {
    let first = 96_000.0
    let length = Int(bars * 4 * 60 / bpm * Double(server.sampleRate))
    try probe.send("locate \(Int(first))")
    try probe.send("wait 0.1")
    for _ in 0..<3 {
      let left = settling - (try probe.peers().keptTimes)
      if left > 0 { try probe.send("wait \(left)") }
    }
    _ = try probe.launch()
    var seams: [Seam] = []
    defer {
      let missed = seams.map { Int(($0.report["xruns"] ?? 0) + ($0.report["late"] ?? 0)) }.reduce(0, +)
      // A seam is left out for a missed deadline and for nothing else.
      let disturbed = seams.count - seams.settled.count
      Judged(
        "the seams of a loop of \(bars) bars", isJudged: !seams.exact.isEmpty, attempts: 1 + disturbed,
        disturbed: disturbed, missed: missed
      ).tell()
    }
    while seams.settled.count < count, seams.count < limit {
      let line = probe.child.lines().count
      try probe.send("loop \(Int(first)) \(length)")
      let report = try probe.awaitReport("the loop's seam", from: line, timeout: .seconds(30)) {
        $0.word("watch") == "loop -> jack rolling"
      }
      let isSettled = try probe.peers().keptTimes >= settling
      seams.append(Seam(way: (report["frame"] ?? .nan) - first, report: report, isSettled: isSettled))
    }
    return seams
  }
}

extension [Seam] {
  /// Those without a missed deadline in the loop and in the one before it: what one has moved shows at the
  /// next seam.
  public var exact: [Seam] {
    indices.filter { index in
      self[index].report.isUndisturbed && (index == 0 || self[index - 1].report.isUndisturbed)
    }.map { self[$0] }
  }

  /// Those of them at which JACK's own times were right.
  public var settled: [Seam] { exact.filter(\.isSettled) }

  /// Whether no deadline was missed at all.
  public var isExact: Bool { allSatisfy(\.report.isUndisturbed) }
}

extension ProbeReport {
  /// For how many seconds JACK's times have kept to its frames.
  fileprivate var keptTimes: Double { (self["kept_ms"] ?? 0) / 1000 }
}
