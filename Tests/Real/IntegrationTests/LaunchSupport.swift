import Foundation
import Stage
import Testing

extension Scene {
  /// Has a launch judged for each action, always from rest with the playhead at `frame`, and without a missed
  /// deadline between press and roll: one that comes at the end moves frames against time, and is the
  /// machine's fault.
  ///
  /// Where deadlines are missed, it rolls all the same in the end. The transport rolls when this returns;
  /// launches that could not be judged are left out.
  func launches(_ actions: [String], from frame: Int, atBeat beat: Double? = nil) throws -> [ProbeReport] {
    try actions.compactMap { action in
      try probe.judgeReport("a launch by \(action)") {
        try park(at: frame, untilBeat: beat)
        return try probe.launch(by: action)
      }
    }
  }

  /// Stops both sides, puts the playhead at `frame`, and waits until the session is at a beat of its quantum.
  private func park(at frame: Int, untilBeat beat: Double?) throws {
    try rest()
    try probe.send("locate \(frame)")
    try probe.send("wait 0.1")
    if let beat { try probe.awaitBeat(beat) }
  }

  /// Presses, does something else while the transport is held, and has the roll judged.
  func launchDisturbed(
    from frame: Int, byBeat beat: Double, watching action: String = "jackstart",
    _ disturb: () throws -> Void
  ) throws -> ProbeReport? {
    try probe.judgeReport("a launch that is disturbed while it waits") {
      try park(at: frame, untilBeat: beat)
      let first = probe.child.lines().count
      try probe.send("jackstart")
      try #require(try probe.awaitState("starting"))
      try disturb()
      return try probe.awaitRoll(after: action, from: first)
    }
  }

  /// Launches once for each action, as ``launches(_:from:atBeat:)`` does, and measures when the last one
  /// rolls: all without a missed deadline, after which a client that counts frames is off for good.
  func launchesThenWindow(
    _ actions: [String], from frame: Int, seconds: Double = 0.3
  ) throws -> (launches: [ProbeReport], later: ProbeReport?) {
    let first = try launches(Array(actions.dropLast()), from: frame)
    let last = try probe.judge(
      "a launch and what comes after it", countsFrames: true,
      preparing: {
        try park(at: frame, untilBeat: nil)
      },
      {
        (
          launch: try probe.launch(by: actions.last ?? "jackstart"),
          later: try probe.measure(seconds: seconds)
        )
      })
    return (first + (last.map { [$0.launch] } ?? []), last?.later)
  }

  /// Waits until a new peer takes the bridge's session for the older one.
  ///
  /// The bridge enables Link 0.6 s after it has found the server, and Link wants half a second between two
  /// sessions.
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

extension Scene {
  /// How far the position that is read of one cycle may be from the written one, in microseconds: PipeWire
  /// shows whole ticks of 1920, for which the bridge rounds.
  func coarseness(at beatsPerMinute: Double) -> Double {
    server.kind == .pipewire ? 60e6 / beatsPerMinute / 1920 / 2 : 0
  }

  /// How far ahead of Link another owner is read in the first cycle of a roll, in microseconds. On PipeWire
  /// that one shows the position that the owner published while it waited, of its own frame, and all others,
  /// which Link keeps to, that of the cycle before.
  var ownersHeadStart: Double { server.kind == .pipewire ? periodLength : 0 }
}

/// Checks that launches began in phase: as JACK clients read it, and as those see it that count frames at the
/// tempo.
///
/// Nothing where none could be judged. Each of several may be a little off, as the machine's timing is, but
/// not most of them. From frame 0, where nothing is before it, a start that `isWhole` begins in the cycle
/// nearest to the beat. With another owner, `isOwners`, PipeWire cuts its position while it waits, and when
/// it rolls.
func expectInPhase(
  _ launches: [ProbeReport], from frame: Int, of scene: Scene, isWhole: Bool = true, isOwners: Bool = false,
  sourceLocation: SourceLocation = #_sourceLocation
) throws {
  guard !launches.isEmpty else { return }
  if isWhole, frame == 0 {
    for launch in launches { try expectWhole(launch, of: scene, sourceLocation: sourceLocation) }
    return
  }
  let early = isOwners ? scene.ownersHeadStart : 0
  let coarse = scene.coarseness(at: try #require(launches[0]["jack_bpm"])) * (isOwners ? 4 : 1)
  for launch in launches {
    let way = abs(try #require(launch["frame"]) - Double(frame))
    // Where an owner's position is read late, there is as much more before the beat.
    let most = Double(scene.server.period) * (early > 0 ? 2 : 1)
    #expect(way <= most, "\(launch)", sourceLocation: sourceLocation)
    let error = try #require(launch.certain("frame_err_out", from: early))
    #expect(abs(error) < scene.periodLength, "\(launch)", sourceLocation: sourceLocation)
  }
  let shown = launches.median { $0.certain("err_out", from: early) }
  #expect(shown < accuracy + coarse, "\(launches)", sourceLocation: sourceLocation)
  let frames = launches.median { $0.certain("frame_err_out", from: early) }
  let limit = accuracy + frameLength + (isOwners ? coarse : 0)
  #expect(frames < limit, "\(launches)", sourceLocation: sourceLocation)
  // The distance of two peers' clocks is in both, and not in the difference.
  let difference = launches.median { launch in
    launch["frame_err_out"].flatMap { frames in launch["err_out"].map { frames - $0 } }
  }
  // Where Link is steered to an owner its tempo is some millionths off, and what counts frames at it is, too.
  let steering = launches.compactMap { launch -> Double? in
    guard let link = launch["link_bpm"], let jack = launch["jack_bpm"] else { return nil }
    return abs(link / jack - 1) * Double(frame) * frameLength
  }
  let most = 2 * frameLength + coarse + (steering.max() ?? 0)
  #expect(difference < most, "\(launches)", sourceLocation: sourceLocation)
}

/// Checks that a launch from frame 0 began there, with its first beat, in the cycle nearest to Link's.
func expectWhole(
  _ launch: ProbeReport, of scene: Scene, sourceLocation: SourceLocation = #_sourceLocation
) throws {
  #expect(launch["frame"] == 0, "\(launch)", sourceLocation: sourceLocation)
  #expect(launch.word("bbt") == "1|1|0", "\(launch)", sourceLocation: sourceLocation)
  for name in ["err_out", "frame_err_out"] {
    let error = try #require(launch.certain(name))
    #expect(
      abs(error) < scene.periodLength / 2 + accuracy, "\(name): \(launch)", sourceLocation: sourceLocation)
  }
}

/// Checks that a launch from the beginning of a quantum was on the next one; nothing where that could not be
/// judged.
func expectOnNextQuantum(
  _ launch: ProbeReport?, of length: Double, in scene: Scene,
  sourceLocation: SourceLocation = #_sourceLocation
) throws {
  guard let launch else { return }
  let error = abs(try #require(launch.certain("to_quantum_out")))
  #expect(error < scene.periodLength + accuracy, "\(launch)", sourceLocation: sourceLocation)
  // Where the quantum was too near it is the one after it, and after a disturbance JACK's clock settles for
  // seconds.
  let time = try #require(launch["ms"])
  let settling = try #require(scene.probe.peers()["strayed_ms"]) > time + 5000 ? 0.0 : 6000
  let limit = length * 1000 + 500 + settling
  #expect(time < limit, "\(launch)", sourceLocation: sourceLocation)
}
