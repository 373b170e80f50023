import Foundation
import Glibc

/// A JACK server with a bridge, and rooms on it whose delays are known, for `jackstay calibrate`; LinkHut is the other
/// device.
///
/// All of it ends with the object. Thread-safe.
public final class CalibrationRoom: Sendable {
  /// The server.
  public let server: JackServer
  /// The bridge.
  public let bridge: Child
  private let folder: RuntimeFolder
  /// Counts the deadlines that JACK misses; it is no peer.
  private let probe: LinkProbe

  /// A room with a bridge, and no other device yet.
  ///
  /// - Throws: ``StageError`` when something does not start.
  public init(on kind: JackServer.Kind = JackServer.usual) throws(StageError) {
    folder = try RuntimeFolder()
    server = try JackServer.started(kind, period: RealtimeScheduling.period)
    bridge = try Scene.bridge(on: server, flags: ["--no-state"], environment: folder.environment)
    probe = try LinkProbe.start(server: server, joinsLink: false)
  }

  deinit {
    bridge.terminate()
    server.terminate()
  }

  private var environment: [String: String?] { server.environment.merging(folder.environment) { $1 } }

  /// Has a LinkHut come in and play, and waits until the bridge knows it.
  public func enterHut() throws(StageError) -> LinkHut {
    let hut = try LinkHut(on: server)
    let deadline = Deadline.after(.seconds(30))
    while try !status().contains("1 peer") {
      guard !deadline.hasPassed else { throw .timedOut(awaiting: "LinkHut as a peer", transcript: "") }
      usleep(50_000)
    }
    try hut.pressPlay()
    usleep(500_000)
    return hut
  }

  /// The bridge's status, as people read it.
  public func status() throws(StageError) -> String {
    let child = try Child(Products.path("jackstay"), ["status"], environment: environment)
    _ = try child.wait()
    return child.text()
  }

  /// A microphone that hears LinkHut, or another port, and JACK later by so many frames, with white noise. It goes with
  /// its standard input.
  public func microphone(
    others: Int, own: Int, noise: Double = 0.005, gain: Double = 1, hearing port: String = LinkHut.port
  ) throws(StageError) -> Child {
    let child = try Child(
      Products.path("delayline"), ["room", port, "\(others)", "\(own)", "\(noise)", "\(gain)"],
      environment: environment, streams: .pipes)
    try child.awaitLine("the microphone") { $0 == "ready" }
    return child
  }

  /// Begins a calibration that listens to ``microphone(others:own:noise:gain:hearing:)`` and plays to it.
  ///
  /// - Parameters:
  ///   - words: The words after those for the two ports.
  ///   - variables: Variables that the calibration alone is to have.
  /// - Returns: The calibration.
  /// - Throws: ``StageError`` when it does not start.
  public func calibrate(
    _ words: [String], environment variables: [String: String?] = [:]
  ) throws(StageError) -> Child {
    try Child(
      Products.path("jackstay"),
      ["calibrate", "--input", "room-out:microphone", "--output", "room-in:own"] + words,
      environment: environment.merging(variables) { $1 }, streams: .pipes)
  }

  /// A calibration that no missed deadline has disturbed, or that is right all the same, where a LinkHut plays; nil where
  /// there was none, and nothing can be judged.
  ///
  /// LinkHut finds its place by counting cycles, and so it clicks late for seconds after JACK has missed one.
  public func calibration(
    _ words: [String], others: Int, own: Int, _ isRight: (Child) throws -> Bool
  ) throws -> Child? {
    try probe.attempt("a calibration", for: .seconds(30)) {
      var ended: Child?
      let undisturbed = try probe.unlessDisturbed {
        try probe.send("wait \(Self.memory)")
        let microphone = try microphone(others: others, own: own)
        let calibration = try calibrate(words)
        calibration.closeInput()
        _ = try calibration.wait(timeout: .seconds(120))
        microphone.closeInput()
        _ = try microphone.wait()
        ended = calibration
        return ended
      }
      return try undisturbed ?? ended.flatMap { try isRight($0) ? $0 : nil }
    }
  }

  /// How far an offset may be from the delay of the rooms, in milliseconds.
  public static let exactness = 1.0

  /// The offset that a calibration has set, in milliseconds; nil where it has set none.
  public static func offset(setBy calibration: Child) -> Double? {
    calibration.lines().last?.firstMatch(of: /is ([-+0-9.]+)ms from now on/).flatMap { Double($0.1) }
  }

  /// For how many seconds LinkHut remembers a missed deadline: 512 periods of 256 frames.
  private static let memory = 2.8
}
