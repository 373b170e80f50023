import Stage

extension Acceptance {
  /// How far a client that only counts frames is off, from three kinds of places, at once and 10 s later; and
  /// the times of JACK's starts as committed to Link.
  static func exactness() throws -> [Figure] {
    var figures: [Figure] = []
    var told: [Int: [Start]] = [:]
    let frame = 1e3 / 48
    for (place, beat) in [("on a bar", 8.0), ("in the middle of a bar", 5.6), ("at frame 0", 0)] {
      var starts: [Start] = []
      for (period, count) in zip(periods, [7, 7, 6]) {
        let bpm = period == 256 ? 97.3 : 120
        let scene = try Scene(period: period, bpm: bpm, flags: ["--frame-align", "exact"])
        defer { scene.end() }
        try scene.join()
        for number in 0..<count {
          try scene.rest(atBeat: beat, bpm: bpm)
          var start = try Start(on: scene, by: number.isMultiple(of: 2) ? "jackstart" : "playnow")
          // A missed deadline moves frames against time, which no program can prevent.
          for _ in 0..<2 where start.later == nil {
            try scene.rest(atBeat: beat, bpm: bpm)
            start.later = try Start(on: scene, by: "playnow").later
          }
          starts.append(start)
          if start.told != nil { told[period, default: []].append(start) }
        }
      }
      let name = "frame_err_out, playhead \(place)"
      for (when, errors) in [
        ("in the first rolling cycle", starts.map(\.first)), ("10 s later", starts.compactMap(\.later)),
      ] {
        figures.append(
          Figure(
            name: "\(name), \(when), median of \(errors.count)", value: errors.median, limit: frame,
            unit: "us"))
        figures.append(
          Figure(
            name: "\(name), \(when), 19 of 20", value: errors.nineteenTwentieths, limit: 2 * frame,
            unit: "us"))
      }
    }
    for period in periods {
      let starts = told[period] ?? []
      figures += delays(starts.compactMap(\.told), of: "jack start -> link playing", period: period)
      figures.append(
        Figure(
          name: "the launch time in Link against the first rolling cycle, as heard, p = \(period), worst of "
            + "\(starts.count)",
          value: starts.compactMap(\.launchTime).max(), limit: Double(period) / 0.048, unit: "us"))
    }
    return figures
  }
}

/// The measurements of one start.
private struct Start {
  /// How far frames are off in the first rolling cycle, in microseconds.
  let first: Double
  /// How far they are 10 s later; `nil` when a deadline was missed since.
  var later: Double?
  /// After how many milliseconds Link had it, when it is JACK's start.
  let told: Double?
  /// How far the time in Link is from the first rolling cycle, in microseconds, when it is JACK's start.
  let launchTime: Double?

  init(on scene: Scene, by action: String) throws {
    let probe = scene.probe
    let line = probe.child.lines().count
    let launch = try probe.launch(by: action)
    let disturbances = try probe.missedDeadlines()
    first = launch.certain("frame_err_out").map(abs) ?? .infinity
    try probe.send("wait 0.2")
    let start = try probe.peers()
    if action == "jackstart" {
      let playing = try probe.awaitReport("Link's start", from: line) {
        $0.word("watch") == "jack start -> link playing"
      }
      told = playing["ms"] ?? .infinity
      // The roll's time is JACK's own, which wake-ups correct: by as much as they do its error.
      launchTime =
        if let played = start["play_time_ms"], let rolled = start["roll_time_ms"],
          let theirs = launch["err_out"], let heard = launch["heard_err"]
        {
          abs((played - rolled) * 1000 - (theirs - heard))
        } else {
          .infinity
        }
    } else {
      (told, launchTime) = (nil, nil)
    }
    try probe.send("wait 9.3")
    let report = try probe.measure("later", seconds: 1)
    let isUndisturbed = try probe.missedDeadlines() == disturbances
    later = isUndisturbed ? report.certain("frame_err_out_med").map(abs) : nil
  }
}

extension [Double] {
  /// The bound that 19 of 20 values do not exceed.
  fileprivate var nineteenTwentieths: Double? {
    isEmpty ? nil : sorted()[(count * 19 + 19) / 20 - 1]
  }
}
