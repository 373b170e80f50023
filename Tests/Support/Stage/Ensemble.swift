/// The bridge and players on one server, LinkHut on another that no other client disturbs, and a recorder on
/// each: two ways to hear one beat that have nothing in common but the Link session.
///
/// All of it ends with the last copy.
public struct Ensemble: Sendable {
  /// Where klick's clicks come from, which plays JACK's beats.
  public static let klick = "klick:out"
  /// Where the MIDI clock comes from that goes with JACK's beats.
  public static let midiClock = "jack_midi_clock:mclk_out"

  /// The bridge's server, with a probe that is not in the session.
  public let scene: Scene
  /// The peer.
  public let hut: LinkHut
  /// Hears the players, and the bridge where it was asked to.
  public let here: Recorder
  /// Hears ``LinkHut/port``.
  public let there: Recorder
  /// The programs that play along.
  public let players: [any Player]
  private let quiet: JackServer

  /// Starts all of it: bridge and LinkHut are in one session, and rest.
  ///
  /// - Parameters:
  ///   - kind: The kind of the bridge's server.
  ///   - period: Frames per period of the bridge's server.
  ///   - bpm: The tempo.
  ///   - flags: The bridge's.
  ///   - ports: Ports of the bridge's that are heard, too.
  ///   - makePlayers: Makes the players on a server, which is started then.
  /// - Throws: ``StageError`` when one of them does not start.
  public init(
    on kind: JackServer.Kind = .jackd, period: Int = 256, bpm: Double = 120, flags: [String] = [],
    ports: [String] = [],
    players makePlayers: (JackServer) throws(StageError) -> [any Player] = { _ in
      [PlainPlayer.klick, PlainPlayer.jackMIDIClock]
    }
  ) throws(StageError) {
    scene = try Scene(on: kind, period: period, bpm: bpm, flags: flags)
    quiet = try JackServer.started(period: 1024)
    players = try makePlayers(scene.server)
    for player in players { try player.start(on: scene.server) }
    here = try Recorder(on: scene.server, ports: players.flatMap(\.ports) + ports)
    hut = try LinkHut(on: quiet)
    there = try Recorder(on: quiet, ports: [LinkHut.port])
    try scene.bridge.awaitLine(in: .errors, "a peer") { $0.contains("jackstay: 1 peer") }
    try scene.probe.send("wait 1")
  }

  /// Has JACK roll, in phase with LinkHut.
  ///
  /// - Parameters:
  ///   - frame: Where from.
  ///   - fromLink: Whether it is LinkHut that is started, and not JACK.
  /// - Returns: The recorders' time before the start.
  /// - Throws: ``StageError`` when it does not roll.
  @discardableResult public func start(
    from frame: Int = 0, fromLink: Bool = false
  ) throws(StageError) -> Double {
    try scene.probe.send("locate \(frame)")
    try scene.probe.send("wait 0.2")
    // Closer to the bar than JACK's own way to a roll is long, a press is for the next one.
    while fromLink, try isNearBar() { try scene.probe.send("wait 0.1") }
    let time = Recorder.now
    if fromLink {
      try hut.pressPlay()
      guard try scene.probe.awaitState("rolling", seconds: 30) else {
        throw .unusable("the transport does not roll after LinkHut's start")
      }
    } else {
      try scene.roll()
    }
    return time
  }

  /// Whether less than a beat is left of the session's bar.
  private func isNearBar() throws(StageError) -> Bool {
    try scene.probe.peers()["link_beat"].map { $0 - ($0 / 4).rounded(.down) * 4 > 3 } ?? false
  }

  /// For how long LinkHut remembers what disturbed it, in microseconds: it goes by a filter over twelve
  /// seconds.
  public static let memory = 12e6

  /// When LinkHut's server missed a deadline, or woke it up late all the time.
  public var disturbances: [Double] { there.gaps + there.restless }

  /// Waits until LinkHut has forgotten what disturbed it, for a bounded time.
  ///
  /// - Parameter seconds: How long at most.
  /// - Throws: ``StageError`` when the probe has ended.
  public func awaitQuiet(seconds: Double) throws(StageError) {
    let limit = Recorder.now + seconds * 1e6
    while Recorder.now < limit, disturbances.contains(where: { $0 > Recorder.now - Ensemble.memory }) {
      try scene.probe.send("wait 0.5")
    }
  }

  /// How far the sound is from LinkHut's clicks, for some seconds from now on.
  ///
  /// - Parameters:
  ///   - port: The port to hear: clicks, or a MIDI clock.
  ///   - seconds: How long to listen.
  ///   - body: The actions meanwhile.
  /// - Returns: How the two lie; nil when LinkHut was disturbed in that time or the twelve seconds before,
  ///   and is no judge.
  /// - Throws: ``StageError`` when something has ended.
  public func listen(
    to port: String = Ensemble.klick, seconds: Double, while body: () throws -> Void = {}
  ) throws -> Apart? {
    let heard = try hear([port], seconds: seconds, while: body)
    return heard.isDisturbed ? nil : heard.aparts[port]
  }

  /// The sound of some ports, for some seconds from now on.
  public struct Heard: Sendable {
    /// How far it is from LinkHut's clicks, for each port.
    public let aparts: [String: Apart]
    /// How many clicks LinkHut's were.
    public let beats: Int
    /// Whether LinkHut was disturbed in that time or the twelve seconds before, and is no judge.
    public let isDisturbed: Bool
    /// Whether a server missed a deadline from when it was listened on.
    public let isInterrupted: Bool
  }

  /// How far the sounds are from LinkHut's clicks, for some seconds from now on.
  ///
  /// - Parameters:
  ///   - ports: The ports to hear: clicks, or MIDI clocks.
  ///   - seconds: How long to listen.
  ///   - body: The actions meanwhile.
  /// - Returns: The sound, also where it is no judge.
  /// - Throws: ``StageError`` when something has ended.
  public func hear(
    _ ports: [String], seconds: Double, while body: () throws -> Void = {}
  ) throws -> Heard {
    let start = Recorder.now
    try body()
    let left = seconds - (Recorder.now - start) / 1e6
    if left > 0 { try scene.probe.send("wait \(left)") }
    let end = Recorder.now
    // Until all of it has been written.
    try scene.probe.send("wait 0.8")
    let beats = there.beats(of: LinkHut.port, since: start - 1e6)
    let sounds = here.sounds.filter { $0.time >= start && $0.time < end }
    var aparts: [String: Apart] = [:]
    for port in ports {
      let heard = sounds.filter { $0.port == port }
      let clocks = heard.filter { $0.status == Recorder.Sound.clock }.map(\.time)
      let clicks = heard.filter { $0.status == nil }.map(\.time)
      aparts[port] = clocks.isEmpty ? Apart(clicks, from: beats) : Apart(clocks: clocks, from: beats)
    }
    return Heard(
      aparts: aparts, beats: beats.filter { $0 >= start && $0 < end }.count,
      isDisturbed: disturbances.contains { $0 > start - Ensemble.memory && $0 < end },
      isInterrupted: here.gaps.contains { $0 > start && $0 < end })
  }

  /// Ends all of it.
  public func end() {
    here.end()
    there.end()
    hut.end()
    for player in players { player.end() }
    scene.end()
    quiet.terminate()
  }
}
