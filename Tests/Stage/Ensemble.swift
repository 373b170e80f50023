/// The bridge and programs that follow JACK on one server, LinkHut on another that nobody disturbs, and a
/// recorder on each: what is heard of one beat in two ways that have nothing in common but the Link session.
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
  /// Hears ``klick`` and ``midiClock``.
  public let here: Recorder
  /// Hears ``LinkHut/port``.
  public let there: Recorder
  private let quiet: JackServer
  private let followers: [Child]

  /// Starts all of it: bridge and LinkHut are in one session, and rest.
  ///
  /// - Parameters:
  ///   - period: Frames per period of the bridge's server.
  ///   - bpm: The tempo.
  ///   - flags: The bridge's.
  /// - Throws: ``StageError`` when one of them does not start.
  public init(period: Int = 256, bpm: Double = 120, flags: [String] = []) throws(StageError) {
    scene = try Scene(period: period, bpm: bpm, flags: flags)
    quiet = try JackServer.started(period: 1024)
    followers = [
      try Child("klick", ["-j", "-P", "-n", "klick"], environment: scene.server.environment),
      try Child("jack_midi_clock", [], environment: scene.server.environment),
    ]
    here = try Recorder(on: scene.server, ports: [Ensemble.klick, Ensemble.midiClock])
    hut = try LinkHut(on: quiet)
    there = try Recorder(on: quiet, ports: [LinkHut.port])
    try scene.bridge.awaitLine(in: .errors, "a peer") { $0.contains("Link peers (count 1)") }
    try scene.probe.send("wait 1")
  }

  /// Has JACK roll from frame 0, in phase with LinkHut.
  ///
  /// - Parameter fromLink: Whether it is LinkHut that is started, and not JACK.
  /// - Returns: The recorders' time before the start.
  /// - Throws: ``StageError`` when it does not roll.
  @discardableResult public func start(fromLink: Bool = false) throws(StageError) -> Double {
    try scene.probe.send("locate 0")
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

  /// How far what klick plays is from LinkHut's clicks, for some seconds from now on.
  ///
  /// - Parameters:
  ///   - seconds: How long to listen.
  ///   - body: What is done meanwhile.
  /// - Returns: How the two lie; nil when LinkHut was disturbed in that time or the twelve seconds before,
  ///   and is no judge.
  /// - Throws: ``StageError`` when something has ended.
  public func listen(seconds: Double, while body: () throws -> Void = {}) throws -> Apart? {
    let start = Recorder.now
    try body()
    let left = seconds - (Recorder.now - start) / 1e6
    if left > 0 { try scene.probe.send("wait \(left)") }
    let end = Recorder.now
    // Until all of it has been written.
    try scene.probe.send("wait 0.8")
    let isDisturbed = disturbances.contains { $0 > start - Ensemble.memory && $0 < end }
    guard !isDisturbed else { return nil }
    let clicks = here.beats(of: Ensemble.klick, since: start).filter { $0 < end }
    return Apart(clicks, from: there.beats(of: LinkHut.port, since: start - 1e6))
  }

  /// Ends all of it.
  public func end() {
    here.end()
    there.end()
    hut.end()
    for follower in followers { follower.terminate() }
    scene.end()
    quiet.terminate()
  }
}
