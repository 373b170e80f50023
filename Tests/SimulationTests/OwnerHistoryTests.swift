import MusicalTime
import Reconciliation
import Simulation
import Testing

/// What happened to a session's tempo, and to loops, as worlds in which the laws now hold; and with a
/// deliberate mistake in its place, each as the law that notices it.
@Suite struct OwnerHistoryTests {
  struct Case: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var fault: Fault
    var law: Law
    var history: History
  }

  @Test(arguments: cases) func `What was mended stays mended`(_ mended: Case) {
    let violation = Simulation(mended.history).run()
    #expect(violation == nil, "\(String(describing: violation))")
  }

  @Test(arguments: cases) func `And what was wrong is noticed`(_ mended: Case) {
    let violation = Simulation(mended.history, fault: mended.fault).run()
    #expect(violation?.law == mended.law, "\(String(describing: violation))")
  }

  private static func owner(_ beatsPerMinute: Double) -> Event {
    .ownerTakes(.truthful, beatsPerMinute: beatsPerMinute, ticksPerBeat: 1920, lead: 0)
  }

  private static func session(_ tempo: Double) -> Event {
    .peersJoin(
      1,
      .init(tempo: .bpm(tempo), shift: Beats(nanobeats: 1_300_000_000), isPlaying: false, tellsPlay: false))
  }

  static let cases = [
    Case(
      testDescription: "TEMPO-3: an owner rests at 100, a session at 126 is joined, JACK starts",
      fault: .joinPushes,
      law: .sessionKept,
      history: History(
        Setup(),
        [
          .at(5, owner(100)), .at(6, .clientLocates(frame: 480_000)), .at(20, session(126)),
          .at(40, .clientStarts),
        ], duration: .seconds(80))),
    Case(
      testDescription: "An owner's tempo changes before it has ever rolled", fault: .restUnseen,
      law: .differenceTold,
      history: History(
        Setup(tempo: .bpm(120)),
        [
          .at(1, .peersJoin(1, nil)), .at(30, owner(120)), .at(40, .ownerChangesTempo(to: 110)),
          .at(41, .clientLocates(frame: 0)), .at(60, .clientStarts),
        ], duration: .seconds(100))),
    Case(
      testDescription: "An owner publishes nothing", fault: .silenceUntold, law: .silenceTold,
      history: History(
        Setup(),
        [
          .at(3, .ownerTakes(.silent, beatsPerMinute: 120, ticksPerBeat: 1920, lead: 0)),
          .at(4, .peersJoin(1, nil)), .at(10, .clientStarts),
        ], duration: .seconds(40))),
    Case(
      testDescription: "A peer sets another tempo than a pinned JACK's", fault: .imposesOnce,
      law: .followsTempo,
      history: History(
        Setup(mode: .jack),
        [
          .at(1, owner(110)), .at(2, .peersJoin(1, nil)), .at(10, .clientStarts),
          .at(40, .peerChangesTempo(to: .bpm(150))),
        ], duration: .seconds(90))),
    Case(
      testDescription: "A peer undoes an owner's change that it has not seen", fault: .undoneForGood,
      law: .followsTempo,
      history: History(
        Setup(tempo: .bpm(120)),
        [
          .at(1, .peersJoin(1, nil)), .at(2, owner(120)), .at(10, .clientStarts),
          .at(39.7, .peerRepeats(after: .milliseconds(900))), .at(40, .ownerChangesTempo(to: 125)),
        ], duration: .seconds(90))),
    Case(
      testDescription: "A steered session rests", fault: .steeringLeft, law: .plainTempoLeft,
      history: History(
        Setup(skew: 9e-5), [.at(1, owner(125)), .at(10, .clientStarts), .at(60, .clientStops)],
        duration: .seconds(80))),
    Case(
      testDescription: "An owner's meter changes in the middle of a song", fault: .barsCounted,
      law: .followsPhase,
      history: History(
        Setup(mode: .jack),
        [
          .at(1, owner(120)), .at(2, .ownerChangesMeter(to: Meter("3/4") ?? .common, afterBars: 13)),
          .at(10, .clientStarts),
        ], duration: .seconds(60))),
    Case(
      testDescription: "An owner's tempo glides", fault: .ownersTempoDropped, law: .ownersGlide,
      history: History(
        Setup(mode: .jack),
        [
          .at(1, owner(120)), .at(10, .clientStarts), .at(40, .ownerGlides(to: 80, over: .seconds(4))),
        ], duration: .seconds(60))),
    Case(
      testDescription: "A sequencer loops a bar", fault: .loopHeld, law: .loopsRollOn,
      history: History(
        Setup(tempo: .bpm(120)),
        [
          .at(1, .peersJoin(1, nil)), .at(30, .clientStarts),
          .at(50, .clientLoops(by: Beats(nanobeats: 4_000_000_000))),
        ], duration: .seconds(60))),
  ]
}
