extension Scene {
  /// Has the probe hear the bridge's click from here on.
  public func hearClick() throws(StageError) {
    let reports = try probe.send("clicks jackstay:click")
    guard reports.contains(where: { $0["rc"] == 0 }) else {
      throw .unusable("the bridge has no click to connect to: \(reports)")
    }
  }

  /// All clicks that were heard so far.
  public func clicks() throws(StageError) -> [HeardClick] {
    // Clicks that are under way have been written then.
    try probe.send("wait 0.2")
    return probe.reports.compactMap(HeardClick.init)
  }
}

/// A click of the bridge's, as a probe has heard it.
public struct HeardClick: Sendable {
  /// Whether it is a bar's.
  public let isBar: Bool
  /// Its loudest sample.
  public let size: Double
  /// How much of the sound the described click explains; all is 1.
  public let fit: Double
  /// Where it begins, in frames by JACK's count.
  public let frame: Double
  /// Link's beat there, as it is heard.
  public let linkBeat: Double
  /// Where the position that JACK clients read in the cycle has gone on to there; not a number for none.
  public let jackBeat: Double
  /// How fast that goes on, in beats per minute.
  public let beatsPerMinute: Double
  /// Whether JACK rolls, and whether it waits.
  public let isRolling: Bool, isWaiting: Bool
  /// How many deadlines JACK had missed.
  public let missed: Int

  init?(_ report: ProbeReport) {
    guard let hertz = report["click"], let frame = report["clock"] else { return nil }
    isBar = hertz == 1760
    size = report["size"] ?? .nan
    fit = report["fit"] ?? .nan
    self.frame = frame
    linkBeat = report["link_beat"] ?? .nan
    jackBeat = report["jack_beat"] ?? .nan
    beatsPerMinute = report["bpm"] ?? .nan
    isRolling = report["rolling"] == 1
    isWaiting = report["waiting"] == 1
    missed = Int(report["missed"] ?? 0)
  }

  /// How much later than Link's beat it is, in microseconds.
  public var late: Double { (linkBeat - linkBeat.rounded()) * 60e6 / beatsPerMinute }

  /// The beat of the song that it is, from where JACK clients are.
  public var beat: Int { Int(jackBeat.rounded()) }
}
