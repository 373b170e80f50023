import Stage
import Verdicts

extension Judge {
  /// Programs that read JACK's bar, beat and tick, and the bridge's own ports.
  static func followers(on kind: JackServer.Kind) throws {
    let own = ["jackstay:click", "jackstay:midi_clock"]
    let ensemble = try Ensemble(
      on: kind, flags: ["--click", "rolling", "--midi-clock", "rolling"], ports: own)
    defer { ensemble.end() }
    let hearing = Hearing(
      ensemble: ensemble, server: kind == .jackd ? .jackd : .pipewire,
      programs: [
        (.klick, Ensemble.klick), (.jackMIDIClock, Ensemble.midiClock), (.click, own[0]),
        (.midiClock, own[1]),
      ])
    try hearing.judgeFollowing()
  }

  /// Hydrogen, alone.
  static func hydrogen() throws {
    let ensemble = try Ensemble { _ throws(StageError) in [try Hydrogen()] }
    defer { ensemble.end() }
    let hearing = Hearing(
      ensemble: ensemble, server: .jackd, programs: [(.hydrogen, Hydrogen.port)])
    try hearing.judgeFollowing()
  }
}

extension Hearing {
  /// Where songs begin: the third bar at 120 bpm.
  static let bar = 192_000

  /// Programs that play by the timebase, in both modes.
  func judgeFollowing() throws {
    let scene = ensemble.scene
    try judge(.startFromLink, .link, seconds: 6) { try start(fromLink: true) }
    try judge(.startFromJACK, .link, seconds: 6) { try start(fromLink: false) }
    var step = 9
    try judge(.tempo, .link, skipping: 1) {
      try ensemble.hut.changeTempo(by: step)
      step = -step
    }
    // The same again, at the tempo of the bars.
    while step < 0 {
      try ensemble.hut.changeTempo(by: step)
      step = -step
    }
    try judge(.locate, .link, skipping: 1) { try locate() }
    try judge(.loop, .link, seconds: 10) { try loop() }
    try judge(.stall, .link, skipping: 0.5) { try scene.stall(milliseconds: 100) }
    try judge(.restart, .link, skipping: 2) { try restartPlayers() }
    try scene.rest()

    let owner = try scene.startDAW()
    defer { owner.child.terminate() }
    // On PipeWire a new owner shows where JACK rolls.
    if server == .pipewire { try start(fromLink: false) }
    try scene.lead(owner, bpm: 120)
    try rest()
    try restartPlayers()
    try scene.probe.send("wait 3")
    try judge(.startFromLink, .jack, seconds: 6) { try start(fromLink: true) }
    try judge(.startFromJACK, .jack, seconds: 6) { try start(fromLink: false) }
    var tempo = 120.0
    try judge(.tempo, .jack, skipping: 2) {
      // An owner that counts frames has lost some where a deadline was missed; a start makes up for it.
      try rest()
      try start(fromLink: false)
      try scene.probe.send("wait 1")
      tempo = tempo == 120 ? 129 : 120
      try owner.send("masterbpm \(tempo)")
    }
    try judge(.locate, .jack, skipping: 1) { try locate() }
    try judge(.restart, .jack, skipping: 2) { try restartPlayers() }
    try scene.rest()
  }

  /// Has JACK, which is stopped, start from the third bar at a tempo: LinkHut begins to click with a bar.
  func start(fromLink: Bool, bpm: Double = 120) throws {
    try ensemble.start(from: Int(8 * 60 / bpm * 48_000), fromLink: fromLink)
  }

  /// Has what rolls roll on from the third bar.
  func locate() throws {
    try ensemble.scene.probe.send("locate \(Self.bar)")
    try ensemble.scene.probe.send("wait 0.1")
    guard try ensemble.scene.probe.awaitState("rolling", seconds: 30) else {
      throw StageError.unusable("it does not roll on after a locate")
    }
  }

  /// Has JACK go twice through two bars, from the third one on.
  func loop() throws {
    try start(fromLink: false)
    for _ in 0..<2 {
      let line = ensemble.scene.probe.child.lines().count
      try ensemble.scene.probe.send("loop \(Self.bar) 192000")
      _ = try ensemble.scene.probe.awaitReport("the loop's seam", from: line, timeout: .seconds(30)) {
        $0.word("watch") == "loop -> jack rolling"
      }
    }
  }

  /// Ends all players as crashes do, and starts them again.
  func restartPlayers() throws {
    for player in ensemble.players { player.kill() }
    for player in ensemble.players { try player.start(on: ensemble.scene.server) }
  }
}
