import Foundation
import Stage
import Testing

/// klick and a MIDI clock on the bridge's server, recorded against LinkHut on a server of its own.
///
/// Each has its own clock, its own code and its own idea of JACK's times. All they share is the session.
@Suite(.serialized, .alone, .measured) struct RecordedTests {
  /// The distance of two programs that cannot be heard, in microseconds: Link's own tolerance.
  private static let together = 3000.0
  /// The usual distance.
  private static let usual = 500.0

  @Test func `AUDIOENGINE-1 - klick is heard with LinkHut's click, through tempos and a stall`() throws {
    let ensemble = try Ensemble()
    defer { ensemble.end() }
    try ensemble.start()
    let steady = try judged("klick against LinkHut, steady", ensemble) { try $0.listen(seconds: 5) }
    expectTogether(steady, atLeast: 8)
    let faster = try judged("klick against LinkHut, while it makes the session faster", ensemble) { band in
      try band.listen(seconds: 5) {
        usleep(1_500_000)
        try band.hut.changeTempo(by: 2)
      }
    }
    expectTogether(faster, atLeast: 8)
    var stall = 0.0
    let stalled = try judged("klick against LinkHut, after a stall of its server", ensemble) { band in
      try band.listen(seconds: 5) {
        usleep(1_300_000)
        try band.scene.stall(milliseconds: 100)
        stall = Recorder.now
      }
    }
    guard let stalled else { return }
    // A beat that was due while the server stood still sounds after it.
    #expect(stalled.worst(except: [stall - 2e5], for: 3e5) < Self.together, "\(stalled.errors)")
    #expect(abs(try #require(stalled.median)) < Self.usual, "\(stalled.errors)")
  }

  @Test func `AUDIOENGINE-2 - Klick is heard with LinkHut's click when the latency has changed`() throws {
    let ensemble = try Ensemble()
    defer { ensemble.end() }
    try ensemble.start()
    for period in [1024, 256] {
      try ensemble.scene.resize(to: period)
      try ensemble.scene.probe.send("wait 1")
      let apart = try judged("klick against LinkHut, in periods of \(period)", ensemble) {
        try $0.listen(seconds: 4)
      }
      expectTogether(apart, atLeast: 6)
    }
  }

  @Test(arguments: [256, 1024])
  func `The first beat of a start from frame 0 sounds, with LinkHut's`(period: Int) throws {
    let ensemble = try Ensemble(period: period)
    defer { ensemble.end() }
    // In the cycle nearest to the beat.
    let nearest = Double(period) / 0.096 + 500
    for fromLink in [false, true] {
      var beginnings: [Beginning]?
      var attempts = 0
      repeat {
        attempts += 1
        try ensemble.awaitQuiet(seconds: 20)
        beginnings = try beginning(of: ensemble, fromLink: fromLink)
        try ensemble.scene.rest()
      } while beginnings == nil && attempts < 3
      let count = ensemble.disturbances.count + ensemble.here.gaps.count
      Judged(
        "the first beat of a start", isJudged: beginnings != nil, attempts: attempts, missed: count
      ).tell()
      for beginning in beginnings ?? [] {
        #expect(abs(beginning.first) < nearest, "\(beginning)")
        // A MIDI clock counts frames, which stay where they began.
        let began = beginning.port == Ensemble.midiClock ? beginning.first : 0
        #expect(abs(beginning.second - began) < Self.usual, "\(beginning)")
      }
    }
  }

  /// How much later than LinkHut's its first beats were heard from a port, in microseconds.
  private struct Beginning {
    let port: String
    let first: Double
    let second: Double
  }

  /// Starts and listens to the first two beats.
  ///
  /// - Returns: How they lie; nil where a deadline was missed, or LinkHut is no judge.
  private func beginning(of ensemble: Ensemble, fromLink: Bool) throws -> [Beginning]? {
    let start = try ensemble.start(fromLink: fromLink)
    let strides = [(Ensemble.klick, 1), (Ensemble.midiClock, 24)]
    func heard() -> [Beginning] {
      let beats = ensemble.there.beats(of: LinkHut.port, since: start)
      return strides.compactMap { port, stride in
        let sounds = ensemble.here.beats(of: port, since: start)
        guard beats.count > 1, sounds.count > stride else { return nil }
        return Beginning(port: port, first: sounds[0] - beats[0], second: sounds[stride] - beats[1])
      }
    }
    // A busy machine takes longer to report a sound.
    for _ in 0..<4 where heard().count < strides.count { try ensemble.scene.probe.send("wait 1.6") }
    let beginnings = heard()
    #expect(
      beginnings.count == strides.count,
      "too little was heard: \(ensemble.here.sounds.count) and \(ensemble.there.sounds.count)")
    // The bar, or the beat, cannot be a matter of missed deadlines; but a program that was not ready in time is given
    // more of it from then on, and a press may be too late for its bar.
    let hasSlowClient = !ensemble.scene.logged("was not ready in time").isEmpty
    for beginning in beginnings {
      let quantum = 2e6
      let first = hasSlowClient ? beginning.first.remainder(dividingBy: quantum) : beginning.first
      #expect(abs(first) < 100_000, "\(beginning)")
    }
    let isDisturbed =
      hasSlowClient || ensemble.here.gaps.contains { $0 > start }
      || ensemble.disturbances.contains { $0 > start - Ensemble.memory }
    return isDisturbed ? nil : beginnings
  }

  /// Listens until LinkHut could be heard undisturbed, for a bounded time.
  private func judged(
    _ check: String, _ ensemble: Ensemble, _ body: (Ensemble) throws -> Apart?
  ) throws -> Apart? {
    var apart: Apart?
    var attempts = 0
    repeat {
      attempts += 1
      apart = try body(ensemble)
    } while apart == nil && attempts < 3
    Judged(check, isJudged: apart != nil, attempts: attempts, missed: ensemble.disturbances.count).tell()
    return apart
  }

  private func expectTogether(
    _ apart: Apart?, atLeast count: Int, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    guard let apart else { return }
    #expect(apart.errors.count >= count, "\(apart)", sourceLocation: sourceLocation)
    #expect(apart.lonely == 0, "\(apart)", sourceLocation: sourceLocation)
    #expect(apart.worst() < Self.together, "\(apart)", sourceLocation: sourceLocation)
    #expect(
      apart.median.map { abs($0) } ?? .infinity < Self.usual, "\(apart)", sourceLocation: sourceLocation)
  }
}
