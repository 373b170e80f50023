import MusicalTime
import Reconciliation
import Testing

/// Tempo, and starts and stops, that pass in one direction only.
@Suite struct SharingTests {
  @Test func `JACK that only receives follows peers' tempo, and sets none, whatever a user asks for`() {
    var studio = Studio(.init(tempoSync: .receive))
    studio.run(seconds: 1)
    studio.run(seconds: 1, after: .peerChangesTempo(to: .bpm(133)))
    studio.run(after: .command(.start), until: \.isRolling)
    studio.run(seconds: 1)
    #expect(
      studio.shown?.tempo.microsecondsPerBeat == Tempo.bpm(133).microsecondsPerBeat
        && studio.isShownInPhase(within: HostInterval(microseconds: 10)))
    let first = studio.decisions.count
    studio.run(seconds: 1, after: .command(.proposeTempo(.bpm(90))))
    studio.run(seconds: 1, after: .command(.imposeJACK))
    #expect(studio.tempo == .bpm(133))
    let decisions = studio.decisions[first...]
    #expect(decisions.allSatisfy { $0.link.tempo == nil && $0.link.beat == nil })
    #expect(decisions.contains { $0.gridNotice == .tempoIsNotSent })
    // Another client's lead would have the session follow.
    studio.daw = SelectionTests.daw(100)
    studio.run(seconds: 10)
    #expect(studio.reconciler.leader == .neither && studio.tempo == .bpm(133))
    #expect(studio.decisions[first...].allSatisfy { $0.link.tempo == nil && $0.link.beat == nil })
  }

  @Test func `JACK that only sends keeps its tempo, and the session gets that back, once in a second`() {
    var studio = Studio(.init(tempoSync: .send))
    studio.run(seconds: 2, after: .command(.foundSession(.bpm(126))))
    // The session that was there gets it, too.
    #expect(studio.tempo == .bpm(126))
    studio.run(after: .command(.start), until: \.isRolling)
    studio.run(seconds: 2)
    var first = studio.decisions.count
    var tempos: Set<Int64> = []
    var positions: [BeatTime] = []
    for tempo in [100.0, 140, 90] {
      studio.run(seconds: 1.5, after: .peerChangesTempo(to: .bpm(tempo))) {
        if let shown = $0.shown {
          tempos.insert(shown.tempo.microsecondsPerBeat)
          positions.append(shown.exact)
        }
        return false
      }
      #expect(studio.tempo == .bpm(126))
    }
    #expect(tempos == [Tempo.bpm(126).microsecondsPerBeat])
    #expect(zip(positions, positions.dropFirst()).allSatisfy { $0 <= $1 })
    #expect(studio.decisions[first...].count { $0.link.tempo != nil } == 3)
    // Link counts whole microseconds of a beat.
    let notices = [100.0, 140, 90].map { GridNotice.imposed(jack: 60e6 / 476_190, link: .bpm($0)) }
    #expect(studio.decisions[first...].compactMap(\.restoration) == notices)
    #expect(studio.isShownInPhase(within: .milliseconds(1)) && !studio.hasMovedPeers)
    // A peer that insists is not opposed in every cycle.
    first = studio.decisions.count
    studio.run(seconds: 5) { _ in false }
    for _ in 0..<100 {
      studio.run(seconds: 0.05, after: .peerChangesTempo(to: .bpm(80)))
    }
    #expect((4...7).contains(studio.decisions[first...].count { $0.link.tempo != nil }))
    // The user's tempo is JACK's, and the session's, at once.
    studio.run(seconds: 2)
    studio.run(seconds: 0.1, after: .command(.proposeTempo(.bpm(111))))
    #expect(
      studio.tempo == .bpm(111)
        && studio.shown?.tempo.microsecondsPerBeat == Tempo.bpm(111).microsecondsPerBeat)
  }

  @Test("Before a user has set a tempo there is none to send, and the choice keeps the one that holds")
  func nothingToSend() {
    var studio = Studio(.init(tempoSync: .send))
    studio.run(seconds: 1)
    studio.run(seconds: 1, after: .peerChangesTempo(to: .bpm(133)))
    #expect(studio.tempo == .bpm(133))
    studio.run(seconds: 1, after: .choice(.tempoSync(.both)))
    studio.run(seconds: 1, after: .choice(.tempoSync(.send)))
    studio.run(seconds: 1, after: .peerChangesTempo(to: .bpm(99)))
    #expect(studio.tempo == .bpm(133))
  }

  @Test func `A tempo that JACK's owner has given the session stays as the owner goes`() {
    var studio = Studio(.init(tempoSync: .send))
    studio.run(seconds: 1, after: .command(.proposeTempo(.bpm(126))))
    studio.daw = SelectionTests.daw(100)
    studio.run(seconds: 1)
    studio.run(after: .clientStarts, until: \.isRolling)
    studio.run(seconds: 5)
    #expect(abs(studio.tempo.beatsPerMinute - 100) < 0.05)
    studio.run(seconds: 3, after: .clientStops)
    (studio.owner, studio.daw) = (.me, nil)
    studio.run(seconds: 3)
    #expect(studio.reconciler.leader == .link && abs(studio.tempo.beatsPerMinute - 100) < 0.05)
    studio.run(seconds: 2, after: .peerChangesTempo(to: .bpm(90)))
    #expect(abs(studio.tempo.beatsPerMinute - 100) < 0.05)
  }

  @Test func `Without tempo in either direction neither leads, and starts roll at once`() {
    var studio = Studio(.init(tempoSync: .off))
    studio.owner = .nobody
    studio.run(seconds: 1)
    #expect(studio.reconciler.leader == .neither)
    studio.run(seconds: 0.1, after: .command(.start))
    #expect(studio.isRolling && studio.isPlaying)
    studio.run(seconds: 1, after: .peerChangesTempo(to: .bpm(99)))
    #expect(studio.decisions.allSatisfy { $0.link.tempo == nil && $0.link.beat == nil })
  }

  @Test("Starts and stops pass in the direction that is chosen, and in no other", arguments: [false, true])
  func startStop(isReceiving: Bool) {
    var studio = Studio(.init(startStopSync: isReceiving ? .receive : .send))
    studio.run(seconds: 2)
    studio.run(after: .clientStarts, until: \.isRolling)
    studio.run(seconds: 1)
    #expect(studio.isPlaying != isReceiving)
    studio.run(seconds: 1, after: .clientStops)
    #expect(!studio.isPlaying && !studio.isRolling)
    studio.run(seconds: 4, after: .peerStarts(in: .zero))
    #expect(studio.isRolling == isReceiving)
    studio.run(seconds: 1, after: .peerStops)
    #expect(!studio.isRolling)
    if isReceiving { #expect(studio.decisions.allSatisfy { $0.link.isPlaying == nil }) }
  }
}
