import MusicalTime
import Reconciliation
import Testing

@Suite struct CommandTests {
  @Test func `A proposed tempo is one Link edit, published at once`() throws {
    var studio = Studio()
    studio.asks = true
    studio.command = .proposeTempo(.bpm(133))
    #expect(studio.step().link.tempo?.tempo == .bpm(133))
    #expect(studio.published?.tempo == .bpm(133))
    #expect(studio.step().link.isEmpty)
  }

  @Test("A step is from where the tempo is going to be, and ends at the slowest and the fastest")
  func nudge() throws {
    let step = { (step: Double) in try #require(TempoStep(beatsPerMinute: step)) }
    var studio = Studio()
    studio.command = .nudgeTempo(try step(0.5))
    #expect(studio.step().link.tempo?.tempo == Tempo(beatsPerMinute: 120.5))
    studio = Studio()
    for _ in 0..<3 {
      studio.command = .nudgeTempo(try step(-1))
      studio.step()
    }
    // With peers two of them have waited until it is seen what those do.
    studio.run(seconds: 2)
    #expect(studio.tempo == Tempo(beatsPerMinute: 117))
    for (wanted, limit) in [(979.0, 999.0), (-979, 20)] {
      studio.run(seconds: 2, after: .command(.nudgeTempo(try step(wanted))))
      #expect(studio.tempo == Tempo(beatsPerMinute: limit))
    }
    for wanted in [.nan, .infinity, 979.1] { #expect(TempoStep(beatsPerMinute: wanted) == nil) }
  }

  @Test(
    "Tempos that are typed one after the other are set one after the other, whatever peers set in between")
  func tempoAfterTempo() {
    var studio = Studio()
    studio.run(seconds: 1)
    for wanted in [130.0, 121, 122] {
      studio.run(seconds: 0.05, after: .command(.proposeTempo(.bpm(wanted))))
      #expect(studio.tempo == .bpm(wanted))
    }
    studio.run(seconds: 0.05, after: .peerChangesTempo(to: .bpm(90)))
    studio.run(seconds: 0.05, after: .command(.proposeTempo(.bpm(123))))
    #expect(studio.tempo == .bpm(123))
  }

  @Test func `A locate is asked of JACK as any client asks it: stopped, held and rolling`() throws {
    var studio = Studio()
    studio.run(seconds: 0.2)
    studio.command = .locate(96_000)
    let first = studio.decisions.count
    studio.run(seconds: 0.2)
    #expect(studio.decisions.dropFirst(first).compactMap(\.transport) == [.locate(frame: 96_000)])
    #expect(studio.engine.frame == 96_000 && !studio.isRolling)
    studio.run(seconds: 0.1, after: .command(.start))
    // While it is held: that is where it begins.
    #expect(studio.run(after: .command(.locate(192_000))) { $0.isRolling })
    #expect((studio.engine.frame - 192_000).count.magnitude <= 2 * UInt64(studio.engine.period))
    #expect(studio.isShownInPhase(within: .milliseconds(1)))
    studio.run(seconds: 2)
    studio.run(seconds: 0.2, after: .command(.locate(0)))
    #expect(studio.run { $0.isRolling })
    studio.run(seconds: 0.1)
    #expect(studio.engine.frame.number < 96_000 && studio.isShownInPhase(within: .milliseconds(1)))
  }

  @Test func `A stop and a locate that come together are both carried out`() throws {
    var studio = Studio()
    #expect(studio.run(after: .command(.start)) { $0.isRolling })
    studio.run(seconds: 1)
    studio.run(seconds: 0.5, after: .peerStops, .command(.locate(0)))
    #expect(!studio.isRolling && studio.engine.frame == 0)
  }

  @Test("Starts and stops are shared or not, by the last choice; a press meanwhile does not count")
  func shareStartStop() throws {
    var studio = Studio()
    studio.run(seconds: 0.2)
    studio.run(seconds: 0.2, after: .choice(.startStopSync(.off)))
    studio.run(seconds: 3, after: .peerStarts(in: .zero))
    #expect(!studio.isRolling)
    studio.run(seconds: 3, after: .choice(.startStopSync(.both)))
    #expect(!studio.isRolling)
    studio.run(seconds: 1, after: .peerStops)
    #expect(studio.run(after: .peerStarts(in: .zero)) { $0.isRolling })
    studio.run(seconds: 0.2, after: .choice(.startStopSync(.off)))
    studio.run(seconds: 3, after: .peerStops)
    #expect(studio.isRolling)
  }

  @Test func `The configuration of a reconciler has all choices that hold, the mode too`() {
    var studio = Studio()
    studio.run(seconds: 0.1)
    studio.run(seconds: 0.1, after: .choice(.mode(.jack)), .choice(.launch(.now)))
    #expect(studio.reconciler.configuration.choices == studio.choices)
    #expect(studio.reconciler.configuration.choices.mode == .jack)
  }

  @Test func `A start waits as the last choice has it`() throws {
    var studio = Studio()
    studio.run(seconds: 0.7)
    studio.run(seconds: 0.01, after: .choice(.launch(.now)))
    studio.command = .start
    studio.run(seconds: 0.2, until: \.isRolling)
    #expect(studio.isRolling)
  }

  @Test func `A tempo that is the session's own for peers is not committed`() throws {
    var studio = Studio(tempo: .bpm(140))
    studio.command = .proposeTempo(try #require(Tempo(beatsPerMinute: 140)))
    #expect(studio.step().link.isEmpty && studio.tempo.beatsPerMinute != 140)
  }

  @Test func `TEMPO-2: the tempo to found a session with is forgotten when there is one to join`() {
    for peers in [0, 1] {
      var studio = Studio(peers: peers)
      studio.command = .foundSession(.bpm(100))
      #expect(studio.step().link.tempo?.tempo == (peers == 0 ? .bpm(100) : nil))
    }
  }
}
