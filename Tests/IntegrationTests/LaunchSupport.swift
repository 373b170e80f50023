import Foundation
import Stage
import Testing

extension Scene {
  /// The length of a period in microseconds.
  var periodLength: Double { Double(server.period) * frameLength }

  /// Launches once for each action, always from rest with the playhead at `frame`, and without a missed deadline
  /// between press and roll: one that comes at the end moves frames against time, and is the machine's fault.
  ///
  /// The transport rolls when this returns.
  func launches(_ actions: [String], from frame: Int, atBeat beat: Double? = nil) throws -> [ProbeReport] {
    try actions.map { action in
      for _ in 0..<10 {
        try rest()
        try probe.send("locate \(frame)")
        try probe.send("wait 0.1")
        if let beat { try probe.awaitBeat(beat) }
        let report = try probe.launch(by: action)
        if report.isUndisturbed { return report }
      }
      throw StageError.unusable("no launch without a missed deadline: the machine is too busy")
    }
  }

  /// Presses, does something else while the transport is held, and waits until it rolls.
  ///
  /// As often as a deadline is missed meanwhile it is tried again, from rest.
  func launchDisturbed(
    from frame: Int, byBeat beat: Double, watching action: String = "jackstart",
    _ disturb: () throws -> Void
  ) throws -> ProbeReport {
    for _ in 0..<10 {
      try rest()
      try probe.send("locate \(frame)")
      try probe.send("wait 0.1")
      try probe.awaitBeat(beat)
      let first = probe.child.lines().count
      try probe.send("jackstart")
      try #require(try probe.awaitState("starting"))
      try disturb()
      let report = try probe.awaitRoll(after: action, from: first)
      if report.isUndisturbed { return report }
    }
    throw StageError.unusable("no launch without a missed deadline: the machine is too busy")
  }

  /// Launches once for each action, as ``launches(_:from:atBeat:)`` does, and measures when the last one rolls: all without
  /// a missed deadline, after which a client that counts frames is off for good.
  func launchesThenWindow(
    _ actions: [String], from frame: Int, seconds: Double = 0.5
  ) throws -> (launches: [ProbeReport], later: ProbeReport) {
    let first = try launches(Array(actions.dropLast()), from: frame)
    return try probe.undisturbed("a launch and what comes after it") {
      let last = try launches(actions.suffix(1), from: frame)
      return (first + last, try probe.measure(seconds: seconds))
    }
  }

  /// Waits until whoever joins takes the bridge's session for the older one.
  ///
  /// The bridge enables Link 0.6 s after it has found the server, and Link wants half a second between two sessions.
  func letSessionAge() throws {
    #expect(DiscoveryPort.await(inUse: true))
    try probe.send("wait 1.4")
  }

  /// How often the transport has begun to roll.
  func rolls() throws -> Double { try #require(try probe.peers()["rolls"]) }
}

/// The length of a frame in microseconds.
let frameLength = 1e6 / 48000

extension [ProbeReport] {
  /// The middle one of the magnitudes; not a number when there is none.
  func median(_ value: (ProbeReport) -> Double?) -> Double {
    let values = compactMap { value($0).map(abs) }.sorted()
    return values.isEmpty ? .nan : values[values.count / 2]
  }
}

/// Checks that launches began in phase: as JACK clients read it, and as those see it that count frames at the tempo.
///
/// Each of several may be a little off, as the machine's timing is, but not most of them.
func expectInPhase(
  _ launches: [ProbeReport], from frame: Int, of scene: Scene,
  sourceLocation: SourceLocation = #_sourceLocation
) throws {
  for launch in launches {
    let way = abs(try #require(launch["frame"]) - Double(frame))
    #expect(way < Double(scene.server.period), "\(launch)", sourceLocation: sourceLocation)
    let error = try #require(launch["frame_err_out"])
    #expect(abs(error) < scene.periodLength, "\(launch)", sourceLocation: sourceLocation)
  }
  #expect(launches.median { $0["err_out"] } < accuracy, "\(launches)", sourceLocation: sourceLocation)
  let frames = launches.median { $0["frame_err_out"] }
  #expect(frames < accuracy + frameLength, "\(launches)", sourceLocation: sourceLocation)
  // What two peers' clocks are apart is in both, and not in the difference.
  let difference = launches.median { launch in
    launch["frame_err_out"].flatMap { frames in launch["err_out"].map { frames - $0 } }
  }
  // Where Link is steered to an owner its tempo is some millionths off, and what counts frames at it is, too.
  let steering = launches.compactMap { launch -> Double? in
    guard let link = launch["link_bpm"], let jack = launch["jack_bpm"] else { return nil }
    return abs(link / jack - 1) * Double(frame) * frameLength
  }
  let limit = 2 * frameLength + (steering.max() ?? 0)
  #expect(difference < limit, "\(launches)", sourceLocation: sourceLocation)
}

/// Checks that a launch from the beginning of a quantum was on the next one.
func expectOnNextQuantum(
  _ launch: ProbeReport, of length: Double, in scene: Scene,
  sourceLocation: SourceLocation = #_sourceLocation
) throws {
  let error = abs(try #require(launch["to_quantum_out"]))
  #expect(error < scene.periodLength + accuracy, "\(launch)", sourceLocation: sourceLocation)
  // Where the quantum was too near it is the one after it, and after a disturbance JACK's clock settles for seconds.
  let time = try #require(launch["ms"])
  let settling = try #require(scene.probe.peers()["strayed_ms"]) > time + 5000 ? 0.0 : 6000
  let limit = length * 1000 + 500 + settling
  #expect(time < limit, "\(launch)", sourceLocation: sourceLocation)
}
