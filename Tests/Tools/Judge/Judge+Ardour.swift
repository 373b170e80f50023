import Stage
import Verdicts

extension Judge {
  /// Ardour, alone: as a follower of JACK's transport, and as the owner of the timebase.
  static func ardour() throws {
    var made: Ardour?
    let ensemble = try Ensemble { server throws(StageError) in
      let ardour = try Ardour(on: server)
      made = ardour
      return [ardour]
    }
    defer { ensemble.end() }
    guard let ardour = made else { return }
    let hearing = Hearing(
      ensemble: ensemble, server: .jackd, programs: [(.ardour(ardour.release.description), Ardour.click)])
    try hearing.judgeArdourFollowing(ardour)
    try ardour.ownTimebase(true)
    try ensemble.scene.bridge.awaitLine(in: .errors, "the new leader") { $0.contains("JACK leads") }
    try ensemble.scene.probe.send("wait 2")
    try hearing.judgeArdourLeading(ardour)
  }
}

extension Hearing {
  /// Link leads; Ardour knows frames, and its own tempo.
  fileprivate func judgeArdourFollowing(_ ardour: Ardour) throws {
    let scene = ensemble.scene
    try judge(.startFromLink, .link, seconds: 6) { try start(fromLink: true) }
    try judge(.startFromJACK, .link, seconds: 6) { try start(fromLink: false) }
    try judge(.startFromProgram, .link, seconds: 6) {
      try ardour.locate(to: Self.bar, rolls: false)
      try scene.probe.send("wait 0.5")
      try ardour.pressPlay()
      try awaitRoll()
    }
    try judge(.locate, .link, skipping: 1) {
      try ardour.locate(to: Self.bar, rolls: true)
      try scene.probe.send("wait 0.3")
      try awaitRoll()
    }
    try judge(.loop, .link, seconds: 10) { try loop() }
    try judge(.stall, .link, skipping: 0.5) { try scene.stall(milliseconds: 100) }
    try judge(.nextStart, .link, seconds: 6) { try start(fromLink: false) }
    try judge(.tempo, .link, skipping: 1) { try ensemble.hut.changeTempo(by: 5) }
    try setTempoByHand(ardour)
    try judge(.tempoByHand, .link, seconds: 6) { try start(fromLink: false, bpm: 125) }
    try ensemble.hut.changeTempo(by: -5)
    try setTempoByHand(ardour)
    try scene.rest()
    // It comes back while JACK rolls, and is stopped until the next start.
    try start(fromLink: false)
    try restartPlayers()
    try scene.probe.send("wait 3")
    try judge(.restartedThenStarted, .link, seconds: 6) { try start(fromLink: false) }
    try scene.rest()
  }

  /// Ardour owns the timebase, and Link follows it.
  fileprivate func judgeArdourLeading(_ ardour: Ardour) throws {
    let scene = ensemble.scene
    try judge(.startFromLink, .jack, seconds: 6) { try start(fromLink: true) }
    try judge(.startFromJACK, .jack, seconds: 6) { try start(fromLink: false) }
    try judge(.startFromProgram, .jack, seconds: 6) {
      try ardour.locate(to: Self.bar, rolls: false)
      try scene.probe.send("wait 0.5")
      try ardour.pressPlay()
      try awaitRoll()
    }
    try judge(.locate, .jack, skipping: 1) { try locate() }
    try scene.rest()
    try ardour.setTempo(128)
    try judge(.tempoByHand, .jack, seconds: 6) { try start(fromLink: false, bpm: 128) }
    try scene.rest()
  }

  /// Has Ardour's only tempo be the session's.
  private func setTempoByHand(_ ardour: Ardour) throws {
    try ensemble.scene.probe.send("wait 0.5")
    guard let tempo = try ensemble.scene.probe.peers()["jack_bpm"] else {
      throw StageError.unusable("there is no tempo in JACK")
    }
    try ardour.setTempo(tempo)
    try ensemble.scene.probe.send("wait 0.2")
  }

  private func awaitRoll() throws {
    guard try ensemble.scene.probe.awaitState("rolling", seconds: 30) else {
      throw StageError.unusable("it does not roll")
    }
  }
}
