import MusicalTime
import PropertyTesting
import Reconciliation
import Simulation
import Testing

/// A session's tempo when JACK leads: it is the owner's when that changes, and not because the bridge came.
@Suite struct OwnerChangeTests {
  private static func bpm(_ studio: Studio) -> Double { studio.tempo.beatsPerMinute }

  @Test
  func `TEMPO-3: a tempo that an owner declared before the bridge joined a session is not set at a start`() {
    var studio = SelectionTests.followed(bpm: 100, peers: 0, tempo: .standard)
    // The bridge was alone, and then joins a session that has another tempo.
    studio.changeTempo(to: .bpm(126))
    studio.run(seconds: 3, after: .peersJoin(1, nil))
    let told = studio.decisions.count { if case .differentTempos = $0.gridNotice { true } else { false } }
    #expect(told == 1)
    studio.run(seconds: 5, after: .clientStarts)
    #expect(studio.isRolling)
    #expect(studio.tempo.isSameOnTheWire(as: .bpm(126)))
    #expect(studio.decisions.allSatisfy { $0.link.tempo == nil })
  }

  @Test
  func
    `A tempo that changes before JACK has ever rolled is reported, and set at the start, which is in phase`()
  {
    forAll(20) { seed, random in
      var studio = SelectionTests.followed(bpm: 120, peers: 1)
      studio.shiftGrid(by: Beats(nanobeats: .random(in: 0...4_000_000_000, using: &random)))
      studio.daw = SelectionTests.daw(110)
      studio.engine.locate(to: TransportFrame(.random(in: 0...5_000_000, using: &random)))
      studio.run(seconds: 2)
      #expect(studio.tempo.isSameOnTheWire(as: .standard), "seed \(seed)")
      let told = studio.decisions.count { if case .tempoWaits = $0.gridNotice { true } else { false } }
      #expect(told == 1, "seed \(seed)")
      let before = studio.decisions.count
      #expect(studio.run(after: .clientStarts) { $0.isRolling }, "seed \(seed)")
      #expect(SelectionTests.phaseError(studio).magnitude <= .milliseconds(0.1), "seed \(seed)")
      studio.run(seconds: 5)
      #expect((Self.bpm(studio) - 110).magnitude < 0.01, "seed \(seed)")
      #expect(SelectionTests.phaseError(studio).magnitude <= .milliseconds(0.3), "seed \(seed)")
      let decisions = studio.decisions[before...]
      #expect(decisions.count { $0.link.tempo.map { !$0.isSteering } ?? false } == 1, "seed \(seed)")
      // The peers get both at once.
      let start = decisions.first { $0.link.isPlaying != nil }
      #expect(start?.link.tempo != nil, "seed \(seed)")
      #expect(!studio.hasMovedPeers, "seed \(seed)")
    }
  }

  @Test func `A tempo that changes twice within a tenth of a second before a start is there when it begins`()
  {
    forAll(20) { seed, random in
      var studio = SelectionTests.followed(bpm: 120, peers: 1)
      studio.run(seconds: 5, after: .clientStarts)
      studio.run(seconds: 2, after: .clientStops)
      for tempo in [110, 95.0] {
        studio.daw = SelectionTests.daw(tempo)
        studio.engine.locate(to: TransportFrame(.random(in: 0...5_000_000, using: &random)))
        studio.run(seconds: 0.03)
      }
      #expect(studio.run(after: .clientStarts) { $0.isRolling }, "seed \(seed)")
      #expect((Self.bpm(studio) - 95).magnitude < 0.01, "seed \(seed)")
      #expect(SelectionTests.phaseError(studio).magnitude <= .milliseconds(0.1), "seed \(seed)")
      #expect(!studio.hasMovedPeers, "seed \(seed)")
    }
  }

  @Test func `A peer's tempo is the later one where it comes after an owner's declaration while stopped`() {
    var studio = SelectionTests.followed(bpm: 120, peers: 1)
    studio.daw = SelectionTests.daw(110)
    studio.run(seconds: 1, after: .clientLocates(frame: 0))
    studio.run(seconds: 1, after: .peerChangesTempo(to: .bpm(126)))
    studio.run(seconds: 3, after: .clientStarts)
    #expect(studio.isRolling && studio.tempo.isSameOnTheWire(as: .bpm(126)))
  }

  /// A start is held as something `happens` to the timebase, waits until the bridge owns that, `time` later,
  /// and rolls in phase.
  private static func expectStartKept(
    _ studio: inout Studio, for time: HostInterval, as happens: (inout Studio) -> Void
  ) {
    studio.run(seconds: 0.1, after: .clientStarts)
    #expect(studio.engine.motion == .starting)
    happens(&studio)
    studio.run(seconds: time.seconds)
    #expect(studio.engine.motion == .starting)
    studio.owner = .me
    studio.daw = nil
    #expect(studio.run(seconds: 6) { $0.isRolling })
    #expect(studio.frameError.magnitude <= .milliseconds(6), "\(studio.frameError)")
  }

  @Test(arguments: [HostInterval.milliseconds(20), .milliseconds(300), .milliseconds(700)])
  func `A start that is held as its owner goes keeps its bar, and no notice names an owner`(
    gone: HostInterval
  ) throws {
    var studio = SelectionTests.followed(bpm: 120, peers: 1)
    studio.run(seconds: 0.3)
    Self.expectStartKept(&studio, for: gone) { $0.ownerDies() }
    studio.run(seconds: 3)
    #expect(studio.isShownInPhase(within: .milliseconds(0.1)))
    #expect(!studio.decisions.contains { $0.gridNotice == .silentOwner })
  }

  @Test(arguments: [HostInterval.milliseconds(6), .milliseconds(100), .milliseconds(700)])
  func `A start that is held as another takes the timebase, which the bridge retakes, keeps its bar`(
    taken: HostInterval
  ) throws {
    var studio = Studio(.init(takeover: .retake))
    studio.run(seconds: 1.3)
    Self.expectStartKept(&studio, for: taken) {
      $0.daw = SelectionTests.daw(90)
    }
    // That would advise an action that is under way.
    #expect(!studio.decisions.contains { $0.gridNotice == .neitherLeads })
  }

  @Test func `An owner that publishes nothing is reported once, and start and stop are shared`() {
    var studio = Studio()
    studio.daw = { _ in .absent }
    studio.run(seconds: 2, after: .clientLocates(frame: 0))
    #expect(studio.decisions.allSatisfy { $0.notices.count == 0 })
    studio.engine.start()
    // There is no phase to wait for.
    #expect(studio.run(seconds: 0.1) { $0.isRolling })
    studio.run(seconds: 15)
    #expect(studio.isPlaying)
    #expect(studio.decisions.count { $0.gridNotice == .silentOwner } == 1)
    #expect(studio.run(seconds: 1, after: .peerStops) { !$0.isRolling })
  }

  @Test func `Pinned, JACK's tempo is the session's again after a peer's change, rolling and stopped`() {
    var studio = SelectionTests.followed(.init(mode: .jack), bpm: 110, peers: 1)
    studio.run(seconds: 3, after: .clientStarts)
    #expect((Self.bpm(studio) - 110).magnitude < 0.05)
    for _ in 0..<3 {
      studio.changeTempo(to: .bpm(150))
      #expect(studio.run(seconds: 2) { (Self.bpm($0) - 110).magnitude < 0.05 })
      studio.run(seconds: 2)
      #expect(SelectionTests.phaseError(studio).magnitude <= .milliseconds(0.5))
    }
    studio.run(seconds: 2, after: .clientStops)
    studio.changeTempo(to: .bpm(150))
    #expect(studio.run(seconds: 2) { (Self.bpm($0) - 110).magnitude < 0.05 })
    #expect(studio.notices.contains { if case .grid(.imposed) = $0 { true } else { false } })
    // That would advise the mode that is chosen.
    #expect(!studio.notices.contains { if case .grid(.differentTempos) = $0 { true } else { false } })
  }

  @Test func `A command that is given again acts again`() {
    var studio = SelectionTests.followed(.init(mode: .jack), bpm: 110, peers: 1)
    studio.run(seconds: 5, after: .clientStarts)
    studio.run(seconds: 0.3, after: .peerChangesTempo(to: .bpm(150)))
    #expect(studio.run(seconds: 0.1, after: .choice(.mode(.jack))) { (Self.bpm($0) - 110).magnitude < 0.05 })
  }

  @Test func `An owner's change that a peer undoes unseen is committed once more, and only once`() {
    var studio = SelectionTests.followed(bpm: 120, peers: 1)
    #expect(studio.run(after: .clientStarts) { $0.isRolling })
    studio.run(seconds: 3)
    studio.run(seconds: 1, after: .clientStops)
    studio.daw = SelectionTests.daw(125)
    #expect(studio.run(seconds: 1, after: .clientLocates(frame: 0)) { (Self.bpm($0) - 125).magnitude < 0.01 })
    // A peer's audio thread has not seen it, for a second, and commits its own tempo.
    studio.run(seconds: 1.05)
    studio.changeTempo(to: .standard)
    #expect(studio.run(seconds: 1) { (Self.bpm($0) - 125).magnitude < 0.01 })
    studio.run(seconds: 1.05)
    studio.run(seconds: 5, after: .peerChangesTempo(to: .standard))
    #expect(studio.tempo.isSameOnTheWire(as: .standard))
  }

  @Test func `A session that has kept another tempo gets a declared change by a thousandth`() {
    var studio = SelectionTests.followed(bpm: 100, peers: 1)
    studio.run(seconds: 5, after: .clientStarts)
    #expect(studio.tempo.isSameOnTheWire(as: .standard))
    SelectionTests.changeTempo(&studio, from: 100, to: 100.1)
    #expect(studio.run(seconds: 3) { (Self.bpm($0) - 100.1).magnitude < 0.01 })
  }

  @Test func `Of a tempo that is dragged, a peer may bring back any that it still has`() {
    for stale in [120, 122, 125] {
      var studio = SelectionTests.followed(bpm: 120, peers: 1)
      #expect(studio.run(after: .clientStarts) { $0.isRolling })
      studio.run(seconds: 3)
      var (frame, beat, before) = (TransportFrame(0), 0.0, 120.0)
      for tempo in [121.0, 122, 123, 124, 125, 126] {
        let now = studio.engine.pendingFrame
        beat += Double((now.sinceZero - frame.sinceZero).count) / 48_000 / 60 * before
        (frame, before) = (now, tempo)
        studio.daw = SelectionTests.daw(tempo, from: frame, at: beat)
        #expect(studio.run(seconds: 0.3) { (Self.bpm($0) - tempo).magnitude < 0.05 })
      }
      studio.run(seconds: 0.9)
      studio.changeTempo(to: .bpm(Double(stale)))
      #expect(studio.run(seconds: 1) { (Self.bpm($0) - 126).magnitude < 0.05 }, "after \(stale)")
      // A peer that changes it again intends that.
      studio.run(seconds: 1.05)
      studio.run(seconds: 5, after: .peerChangesTempo(to: .bpm(124)))
      #expect(studio.tempo.isSameOnTheWire(as: .bpm(124)))
    }
  }

  @Test func `The unsteered tempo stays when JACK is stopped, or its owner falls silent`() {
    for falls in [false, true] {
      var studio = SelectionTests.followed(falls ? .init(mode: .jack) : .init(), bpm: 125, peers: 0)
      studio.run(seconds: 5, after: .clientStarts)
      studio.shiftGrid(by: Beats(nanobeats: 800_000))
      #expect(studio.run(seconds: 10) { !$0.tempo.isSameOnTheWire(as: .bpm(125)) })
      let steering = studio.decisions.last { $0.link.tempo != nil }
      #expect(steering?.link.tempo?.isSteering == true)
      if falls {
        studio.owner = .nobody
        studio.daw = nil
      } else {
        studio.engine.stop()
      }
      studio.run(seconds: 2)
      #expect(studio.tempo.isSameOnTheWire(as: .bpm(125)))
    }
  }
}
