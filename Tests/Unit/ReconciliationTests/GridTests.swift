import MusicalTime
import PropertyTesting
import Reconciliation
import Testing

/// Meter, quantum and downbeat, as they change while JACK rolls and while it rests.
@Suite struct GridTests {
  private static func meter(_ text: String) throws -> Meter { try #require(Meter(text)) }

  /// A studio that rolls with a peer.
  private static func rolling(_ configuration: Reconciler.Configuration = .init()) -> Studio {
    var studio = Studio(configuration)
    studio.run(seconds: 2)
    studio.run(after: .command(.start), until: \.isRolling)
    studio.run(seconds: 5)
    return studio
  }

  /// The entries that are read in each cycle of some seconds.
  private static func read(_ studio: inout Studio, seconds: Double) -> [BarBeatTick] {
    var places: [BarBeatTick] = []
    studio.run(seconds: seconds) {
      if let place = $0.shown?.position { places.append(place) }
      return false
    }
    return places
  }

  private static func isInOrder(_ places: [BarBeatTick]) -> Bool {
    zip(places, places.dropFirst()).allSatisfy {
      ($0.bar, $0.beat, $0.tick) <= ($1.bar, $1.beat, $1.tick) || ($0.bar == $1.bar && $0.meter != $1.meter)
    }
  }

  @Test("A meter that is chosen while JACK rolls begins with the next bar, and the session is not touched")
  func meterWhileRolling() throws {
    for (before, after) in [("4/4", "7/8"), ("7/8", "4/4"), ("6/8", "2/2"), ("5/4", "3/4"), ("3/4", "1/1")] {
      let (old, new) = (try Self.meter(before), try Self.meter(after))
      var studio = Self.rolling(.init(quantum: Quantum(beats: 4), meter: old))
      let edits = studio.decisions.count { !$0.link.isEmpty }
      studio.choices.take(.meter(new))
      let places = Self.read(&studio, seconds: 9)
      let turn = try #require(places.firstIndex { $0.meter == new })
      #expect(
        places[..<turn].allSatisfy { $0.meter == old } && places[turn...].allSatisfy { $0.meter == new })
      #expect(places[turn].beat == 1 && places[turn].bar == places[turn - 1].bar + 1, "\(before) \(after)")
      #expect(places[turn - 1].beat == old.beatsPerBar)
      #expect(Self.isInOrder(places))
      // The first bar in the new meter is a whole one.
      let bar = places.filter { $0.bar == places[turn].bar }
      #expect(Set(bar.map(\.beat)) == Set(1...new.beatsPerBar))
      #expect(studio.decisions.count { !$0.link.isEmpty } == edits && !studio.hasMovedPeers)
    }
  }

  @Test("A bar that clients read early, because their ticks are few, is in one meter from then on")
  func earlyBar() throws {
    for rules in [ServerRules.jackd2, .pipewire] {
      var studio = Studio(
        .init(quantum: Quantum(beats: 4), ticksPerBeat: try #require(TicksPerBeat(24)), rules: rules),
        period: 64)
      studio.run(seconds: 2)
      studio.run(after: .command(.start), until: \.isRolling)
      studio.run(seconds: 3)
      let bar = try #require(studio.shown?.position.bar)
      studio.run { $0.shown.map { $0.position.bar > bar } ?? false }
      studio.choices.take(.meter(try Self.meter("7/8")))
      let places = Self.read(&studio, seconds: 5)
      for bar in Set(places.map(\.bar)) {
        #expect(Set(places.filter { $0.bar == bar }.map(\.meter)).count == 1, "bar \(bar)")
      }
      #expect(places.last?.meter == (try Self.meter("7/8")))
    }
  }

  @Test("At rest meter and quantum change at once, and the quantum that was not chosen is a bar")
  func atRest() throws {
    var studio = Studio()
    studio.run(seconds: 1)
    studio.run(seconds: 0.1, after: .choice(.meter(try Self.meter("7/8"))))
    #expect(studio.reconciler.configuration.quantum.doubleValue == 3.5)
    #expect(studio.reconciler.bars.meter.description == "7/8")
    studio.run(seconds: 0.1, after: .choice(.quantum(try #require(Quantum(beats: 8)))))
    #expect(studio.reconciler.configuration.quantum.doubleValue == 8)
    studio.run(after: .command(.start), until: \.isRolling)
    studio.run(seconds: 1)
    #expect(studio.isShownInPhase(within: HostInterval(microseconds: 10)))
  }

  @Test func `Bars that were counted in two meters are read as before after another quantum at rest`() throws
  {
    var studio = Self.rolling()
    studio.run(seconds: 4, after: .choice(.meter(try Self.meter("3/4"))))
    studio.run(seconds: 1, after: .clientStops)
    let bar = try #require(studio.shown?.position.bar)
    let quantum = try #require(Quantum(beats: 6))
    studio.run(seconds: 0.5, after: .choice(.quantum(quantum)), .clientLocates(frame: studio.engine.frame))
    #expect(studio.reconciler.configuration.quantum == quantum)
    #expect(studio.shown?.position.bar == bar)
  }

  @Test("While JACK rolls the quantum of a new meter waits for a rest, and a chosen one for the bar line")
  func quantumWhileRolling() throws {
    var studio = Self.rolling()
    studio.run(seconds: 6, after: .choice(.meter(try Self.meter("3/4"))))
    #expect(studio.reconciler.configuration.quantum.doubleValue == 4)
    studio.run(seconds: 1, after: .command(.stop))
    #expect(studio.reconciler.configuration.quantum.doubleValue == 3)
    for beats in [8.0, 2, 16, 4, 3.5, 5] {
      var studio = Self.rolling()
      // The session is elsewhere in the new quantum.
      let quantum = try #require(Quantum(beats: beats))
      studio.choices.take(.quantum(quantum))
      let places = Self.read(&studio, seconds: 3)
      #expect(studio.reconciler.configuration.quantum == quantum)
      #expect(Self.isInOrder(places), "\(beats)")
      #expect(studio.isShownInPhase(within: HostInterval(microseconds: 10)), "\(beats)")
      #expect(!studio.hasMovedPeers && studio.decisions.suffix(500).allSatisfy { $0.link.isEmpty })
    }
  }

  @Test("Alone in the session another quantum does not move JACK's position: Link's beat is JACK's")
  func quantumAlone() throws {
    var studio = Studio(peers: 0)
    studio.run(seconds: 2)
    studio.run(after: .command(.start), until: \.isRolling)
    studio.run(seconds: 5)
    studio.choices.take(.quantum(try #require(Quantum(beats: 7))))
    var positions: [BeatTime] = []
    studio.run(seconds: 4) {
      if let exact = $0.shown?.exact { positions.append(exact) }
      return false
    }
    let steps = zip(positions, positions.dropFirst()).map { $1 - $0 }
    #expect(steps.allSatisfy { $0 > .zero && $0 < Beats(nanobeats: 20_000_000) })
    #expect(studio.isShownInPhase(within: HostInterval(microseconds: 10)))
  }

  @Test("The downbeat is shifted by beats of the meter, forwards in JACK, and the session is not touched")
  func shift() throws {
    for (text, count) in [("4/4", 1), ("4/4", -1), ("4/4", 2), ("6/8", 1), ("7/8", -3), ("3/4", 3)] {
      let meter = try Self.meter(text)
      var studio = Self.rolling(.init(meter: meter))
      let edits = studio.decisions.count { !$0.link.isEmpty }
      let before = try #require(studio.shown?.exact) - studio.linkBeat(at: studio.output)
      studio.command = .shiftDownbeat(.by(count))
      let places = Self.read(&studio, seconds: 3)
      let after = try #require(studio.shown?.exact) - studio.linkBeat(at: studio.output)
      let shift = Beats(nanobeats: meter.beatLength.nanobeats * Int64(count))
      let error = (after - before + shift).shortest(around: Quantum(barOf: meter))
      #expect(error.magnitude.nanobeats < 1_000, "\(text) \(count)")
      #expect(Self.isInOrder(places))
      #expect(studio.decisions.count { !$0.link.isEmpty } == edits && !studio.hasMovedPeers)
      studio.run(seconds: 2, after: .command(.shiftDownbeat(.none)))
      #expect(
        studio.isShownInPhase(within: HostInterval(microseconds: 10))
          && studio.reconciler.view.downbeat == .zero)
    }
  }

  @Test("The beat that is heard becomes the first of the bar, also where bars of another meter came before")
  func here() throws {
    for changes in [false, true] {
      for wait in stride(from: 0.1, through: 1.9, by: 0.2) {
        var studio = Self.rolling()
        if changes {
          studio.run(seconds: 3, after: .choice(.meter(try Self.meter("3/4"))))
        }
        studio.run(seconds: wait)
        // The nearest beat is one in the session.
        let heard = studio.linkBeat(at: studio.output).sinceZero.doubleValue
        let one = heard.rounded()
        guard (heard - one).magnitude < 0.45 else { continue }
        studio.run(seconds: 0.1, after: .command(.shiftDownbeat(.here)))
        let place = try #require(studio.shown?.position)
        let now = studio.linkBeat(at: studio.output).sinceZero.doubleValue
        let bar = changes ? 3.0 : 4.0
        // So many beats since the one, in the bar.
        let since = ((now - one).truncatingRemainder(dividingBy: bar) + bar).truncatingRemainder(
          dividingBy: bar)
        let read = Double(place.beat) - 1 + Double(place.tick) / Double(place.ticksPerBeat.count)
        let distance = (since - read).magnitude
        #expect(min(distance, bar - distance) < 0.001 || changes, "\(wait)")
        if changes { #expect(studio.reconciler.configuration.quantum.doubleValue == 4) }
      }
    }
  }

  @Test func `In another quantum the downbeat is as far off as it was shifted`() throws {
    var studio = Studio()
    studio.run(seconds: 1)
    studio.run(seconds: 0.1, after: .command(.shiftDownbeat(.by(600))))
    #expect(studio.reconciler.downbeatInBeats == 0)
    studio.run(seconds: 0.1, after: .choice(.quantum(try #require(Quantum(beats: 7)))))
    // 600 beats are 86 quanta less 2 beats.
    #expect(studio.reconciler.downbeatInBeats == -2)
  }

  @Test func `A start after a shift waits for JACK's own bar; a start alone ends the shift`() {
    var studio = Studio()
    studio.run(seconds: 1)
    studio.run(seconds: 0.1, after: .command(.shiftDownbeat(.by(1))))
    studio.run(after: .command(.start), until: \.isRolling)
    studio.run(seconds: 0.5)
    // A beat after the session's bar.
    let position = studio.shown?.exact ?? .zero
    let way = (studio.linkBeat(at: studio.output) - position).shortest(around: Quantum(barOf: .common))
    #expect((way - .one).magnitude < Beats(nanobeats: 1_000))
    studio.run(seconds: 1, after: .command(.stop))
    studio.run(seconds: 5, after: .peersLeave(1))
    studio.run(after: .command(.start), until: \.isRolling)
    studio.run(seconds: 1)
    #expect(
      studio.reconciler.view.downbeat == .zero
        && studio.isShownInPhase(within: HostInterval(microseconds: 10)))
  }

  @Test func `While another client leads its bars are its own: the downbeat is not shifted`() {
    var studio = SelectionTests.followed(bpm: 120, peers: 1)
    studio.run(after: .clientStarts, until: \.isRolling)
    studio.run(seconds: 2)
    studio.run(seconds: 1, after: .command(.shiftDownbeat(.here)))
    #expect(studio.reconciler.view.downbeat == .zero)
    #expect(studio.decisions.contains { $0.gridNotice == .downbeatIsOwners })
  }

  @Test func `Bars are counted on from a change of meter, whatever changes there are`() {
    forAll(200) { seed, random in
      var studio = Self.rolling()
      for _ in 0..<5 {
        let meter = Meter(
          beatsPerBar: .random(in: 1...9, using: &random), beatType: [2, 4, 8].randomElement()!)
        if random.oneIn(2), let quantum = Quantum(beats: Double(Int.random(in: 1...8, using: &random))) {
          studio.choices.take(.quantum(quantum))
        } else if let meter {
          studio.choices.take(.meter(meter))
        }
        let places = Self.read(&studio, seconds: .random(in: 0.1...4, using: &random))
        #expect(Self.isInOrder(places), "seed \(seed)")
        for (before, after) in zip(places, places.dropFirst()) where before.meter != after.meter {
          #expect(after.beat == 1 && after.bar == before.bar + 1, "seed \(seed)")
        }
      }
    }
  }
}
