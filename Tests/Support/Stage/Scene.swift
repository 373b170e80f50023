/// A JACK server, the bridge on it, and the independent instrument: everything of one measurement.
///
/// All of it ends with the last copy.
public struct Scene: Sendable {
  /// The bridge.
  public let bridge: Child
  /// The instrument, on the same server.
  public let probe: LinkProbe
  /// The server.
  public let server: JackServer

  /// The length of a period in microseconds.
  public var periodLength: Double { Double(server.period) * 1e6 / Double(server.sampleRate) }

  /// A fresh server with a bridge that owns the timebase, and a probe that has not joined Link yet.
  ///
  /// - Parameters:
  ///   - kind: The kind of the server.
  ///   - period: Frames per period; as many as ``RealtimeScheduling/period`` says unless it matters.
  ///   - bpm: The tempo of bridge and probe.
  ///   - flags: The bridge's, besides `--tempo`.
  ///   - environment: Variables of the bridge's that differ from this process's and the server's.
  ///   - drift: How much faster than the system's clock the sound card runs, in millionths.
  ///   - ports: How many ports the server can have; nil is as many as it has by default.
  ///   - quantum: The probe's, in beats.
  ///   - latency: The playback latency that the probe is to assume, in microseconds; nil asks JACK.
  ///   - line: The bridge's log line when it is ready.
  /// - Throws: ``StageError`` when one of them does not start.
  public init(
    on kind: JackServer.Kind = JackServer.usual, period: Int = RealtimeScheduling.period, bpm: Double = 120,
    flags: [String] = [], environment: [String: String?] = [:],
    drift: Double = 0, ports: Int? = nil, quantum: Double = 4, latency: Double? = nil,
    line: String = "the bridge owns the timebase"
  ) throws(StageError) {
    server = try JackServer.started(kind, period: period, drift: drift, ports: ports)
    bridge = try Self.bridge(
      on: server, flags: ["--tempo", "\(bpm)"] + flags, environment: environment, line: line)
    probe = try LinkProbe.start(server: server, bpm: bpm, quantum: quantum, latency: latency)
    try probe.send("enable 0")
  }

  /// A scene of programs that were started apart.
  public init(bridge: Child, probe: LinkProbe, server: JackServer) {
    self.bridge = bridge
    self.probe = probe
    self.server = server
  }

  /// A bridge on `server` that has logged `line`: by default that it owns the timebase.
  public static func bridge(
    on server: JackServer, flags: [String] = [], environment: [String: String?] = [:],
    line: String = "the bridge owns the timebase"
  ) throws(StageError) -> Child {
    let bridge = try Child(
      Products.path("jackstay"), flags, environment: server.environment.merging(environment) { $1 },
      streams: .pipes)
    try bridge.awaitLine(in: .errors, "\"\(line)\"") { $0.contains(line) }
    return bridge
  }

  /// Lets the probe join the bridge's session, and the session settle.
  public func join() throws(StageError) {
    try probe.send("enable 1")
    guard try probe.awaitState("peers 1") else { throw .unusable("the probe found no peer") }
    try probe.send("wait 0.5")
  }

  /// Starts JACK's transport, and waits until it rolls: with peers on the next quantum.
  public func roll() throws(StageError) {
    try probe.send("jackstart")
    guard try probe.awaitState("rolling", seconds: 30) else {
      throw .unusable("the transport does not roll")
    }
  }

  /// Stops JACK's transport, and waits until both sides rest.
  public func rest() throws(StageError) {
    try probe.send("jackstop")
    for state in ["stopped", "idle"] where try !probe.awaitState(state) {
      throw .unusable("not \(state) after a stop of JACK's")
    }
  }

  /// Ends all three, the bridge first.
  public func end() {
    bridge.terminate()
    probe.child.terminate()
    server.terminate()
  }
}
