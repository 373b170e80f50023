import Glibc
import Stage

// Programs that follow JACK, recorded against LinkHut on a server of its own.

extension Acceptance {
  /// Starts from frame 0: whether the first beat sounds, and with LinkHut's.
  static func beginnings() throws -> [Figure] {
    try periods.flatMap { period in
      let ensemble = try Ensemble(period: period, bpm: 174)
      defer { ensemble.end() }
      var heard = [Ensemble.klick: Beginnings(stride: 1), Ensemble.midiClock: Beginnings(stride: 24)]
      for number in 0..<50 {
        let isLinks = number.isMultiple(of: 2)
        let start = try ensemble.start(fromLink: isLinks)
        try ensemble.scene.probe.send("wait 1.5")
        let beats = ensemble.there.beats(of: LinkHut.port, since: start)
        // A deadline that LinkHut's server misses puts it off for seconds, one of JACK's the start itself.
        let isDisturbed =
          ensemble.disturbances.contains { $0 > start - 12e6 }
          || ensemble.here.gaps.contains { $0 > start - 1e6 }
        for port in [Ensemble.klick, Ensemble.midiClock] {
          let sounds = ensemble.here.beats(of: port, since: start)
          guard heard[port]?.count(sounds, against: beats, isJudged: !isDisturbed) == false else { continue }
          remark(
            "no first beat of \(port), p = \(period), start \(number), pressed in \(isLinks ? "Link" : "JACK")"
              + "\(isDisturbed ? ", a deadline missed" : ""): it sounds \(milliseconds(sounds, since: start)) ms after "
              + "the press, LinkHut \(milliseconds(beats, since: start))")
        }
        try ensemble.scene.rest()
      }
      return heard.sorted { $0.key < $1.key }.flatMap { $0.value.figures($0.key, period: period) }
    }
  }

  /// How long after an instant the first of some sounds come.
  private static func milliseconds(_ sounds: [Double], since start: Double) -> [Int] {
    sounds.prefix(6).map { Int((($0 - start) / 1000).rounded()) }
  }

  /// The first two beats of each of some starts.
  private struct Beginnings {
    /// How many sounds are a beat.
    let stride: Int
    var starts = 0
    var missing = 0
    var first: [Double] = []
    var second: [Double] = []

    /// Counts a start. Returns whether its first beat is there.
    mutating func count(_ sounds: [Double], against beats: [Double], isJudged: Bool) -> Bool {
      starts += 1
      guard beats.count >= 2, sounds.count > stride, abs(sounds[0] - beats[0]) < 100_000 else {
        missing += 1
        return false
      }
      guard isJudged else { return true }
      first.append(sounds[0] - beats[0])
      second.append(sounds[stride] - beats[1])
      return true
    }

    func figures(_ port: String, period: Int) -> [Figure] {
      let name = "\(port), from frame 0, p = \(period)"
      let (earliest, latest) = (first.map(abs).max(), second.map(abs).max())
      return [
        Figure(name: "first beats there, \(name)", met: starts - missing, of: starts),
        Figure(
          name: "the first beat, worst of \(first.count) about which no deadline was missed", value: earliest,
          limit: Double(period) / 0.096 + 500, unit: "us"),
        Figure(name: "the second beat, worst", value: latest, limit: 500, unit: "us"),
      ]
    }
  }

  /// A minute of klick, with three changes of tempo and two stalls of its server.
  static func minute() throws -> [Figure] {
    try [256, 1024].map { period in
      let ensemble = try Ensemble(period: period)
      defer { ensemble.end() }
      try ensemble.start()
      try ensemble.scene.probe.send("wait 12")
      var stalls: [Double] = []
      let apart = try ensemble.listen(seconds: 60) {
        for part in 0..<5 {
          sleep(10)
          if part.isMultiple(of: 2) {
            try ensemble.hut.changeTempo(by: part == 2 ? -5 : 3)
          } else {
            try ensemble.scene.stall(milliseconds: 100)
            stalls.append(Recorder.now - 200_000)
          }
        }
      }
      guard let apart else { throw Failure("LinkHut itself was disturbed: once more, on a quiet machine") }
      // From where the server stood still to a tenth of a second after it.
      let worst = apart.worst(except: stalls, for: 300_000)
      return [
        Figure(
          name: "klick against LinkHut, \(apart.errors.count) beats of a minute, p = \(period), middle",
          value: apart.errors.map(\.error.magnitude).median, limit: 500, unit: "us"),
        Figure(
          name: "the same, worst outside a tenth of a second after a stall", value: worst, limit: 3000,
          unit: "us"),
        Figure(name: "beats of one without the other", value: Double(apart.lonely), limit: 0, unit: ""),
      ]
    }.flatMap { $0 }
  }
}
