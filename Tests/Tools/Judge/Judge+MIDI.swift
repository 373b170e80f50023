import Stage
import Verdicts

extension Judge {
  /// Ardour as a follower of the bridge's MIDI clock.
  static func ardourByMIDIClock() throws {
    var made: Ardour?
    let ensemble = try Ensemble(flags: ["--midi-clock", "rolling"]) { server throws(StageError) in
      let ardour = try Ardour(master: .midiClock, on: server)
      made = ardour
      return [ardour]
    }
    defer { ensemble.end() }
    guard let ardour = made else { return }
    // As the guide has it, for every release that was recorded.
    try ardour.guardTempoMap()
    let wire = try Child(
      "jack_connect", ["jackstay:midi_clock", Ardour.midiClockInput],
      environment: ensemble.scene.server.environment)
    guard case .exited(0) = try wire.wait() else {
      throw StageError.unusable("jackstay:midi_clock cannot be connected to \(Ardour.midiClockInput)")
    }
    let hearing = Hearing(
      ensemble: ensemble, server: .jackd,
      programs: [(.ardourByMIDIClock(ardour.release.description), Ardour.click)])
    try hearing.judgeClockFollower(ardour)
  }
}

extension Hearing {
  /// A program that counts the clocks.
  fileprivate func judgeClockFollower(_ ardour: Ardour) throws {
    let scene = ensemble.scene
    // It begins at the position that it has read, some clocks late, and makes up for that in a second or two.
    for (situation, isFromLink) in [(Situation.startFromLink, true), (.startFromJACK, false)] {
      try judge(situation, .link, skipping: 3) { try startAnew(ardour, fromLink: isFromLink) }
      try expectSameBar(ardour, situation, fromLink: isFromLink)
    }
    // The next start is no slower than Ardour's own tempo, at which it would be silent.
    for steps in [-9, 12] {
      try judge(.tempo, .link, skipping: 2) { try ensemble.hut.changeTempo(by: steps) }
      try expectTempo()
    }
    try judge(.nextStart, .link, skipping: 3) { try startAnew(ardour, fromLink: false) }
    try expectSameBar(ardour, .nextStart, fromLink: false)
    try scene.rest()
  }

  /// From the beginning: a follower of a MIDI clock goes by nothing else.
  private func startAnew(_ ardour: Ardour, fromLink: Bool) throws {
    try rest()
    // Where a missed deadline has lost it a Stop, it rolls on, and hears no Start.
    try ardour.pressStop()
    try ensemble.scene.probe.send("wait 0.5")
    try ensemble.start(fromLink: fromLink)
  }

  /// Complains unless the sound of the last seconds has the session's tempo.
  private func expectTempo() throws {
    let end = Recorder.now - 1e6
    let clicks = ensemble.here.beats(of: Ardour.click, since: end - 3e6).filter { $0 < end }
    guard let tempo = try ensemble.scene.probe.peers()["jack_bpm"], clicks.count > 2 else {
      return Judge.complain("Ardour by MIDI clock: too little is heard after a change of the tempo")
    }
    let heard = 60e6 * Double(clicks.count - 1) / (clicks[clicks.count - 1] - clicks[0])
    print("Ardour's click by MIDI clock, 2 s after a change to \(tempo) bpm: \(heard) bpm")
    if abs(heard - tempo) > 0.5 {
      Judge.complain("Ardour by MIDI clock: \(heard) bpm is heard, the session has \(tempo)")
    }
  }

  /// Complains unless Ardour is in the same bar as JACK, at the same place.
  ///
  /// After a change of the tempo its frames were now and then half a beat from there, while every click was
  /// on a beat; the cause is not known. Then the next start is judged.
  private func expectSameBar(_ ardour: Ardour, _ situation: Situation, fromLink: Bool) throws {
    if abs(try wayFromBar(ardour, situation)) <= 0.5 { return }
    try startAnew(ardour, fromLink: fromLink)
    try ensemble.scene.probe.send("wait 7")
    let way = try wayFromBar(ardour, situation)
    // The click has the beat; this, which one of the bar.
    if abs(way) > 0.5 {
      Judge.complain(
        "Ardour by MIDI clock, \(situation.rawValue): its bars are \(way) beats from the session's")
    }
  }

  /// How far Ardour's frames, at the tempo of its map, are from the session's bar, in beats.
  private func wayFromBar(_ ardour: Ardour, _ situation: Situation) throws -> Double {
    let state = try ardour.state()
    guard let beat = try ensemble.scene.probe.peers()["link_beat"] else {
      throw StageError.unusable("the probe reported no beat")
    }
    let beats = state.frame / Double(ensemble.scene.server.sampleRate) * state.tempo / 60
    let way = (beats - beat).remainder(dividingBy: 4)
    print(
      "Ardour's playhead by MIDI clock, \(situation.rawValue): \(way) beats from where the bar is, "
        + "at \(state.tempo) bpm")
    return way
  }
}
