import MusicalTime
import Reconciliation
import Testing

@Suite struct CommandTests {
  @Test("A proposed tempo is one Link edit, published at once")
  func propose() throws {
    let tempo = try #require(Tempo(beatsPerMinute: 133))
    var world = World()
    world.command = .proposeTempo(tempo)
    let (decision, entry) = world.cycle()
    #expect(decision.link.tempo?.tempo == tempo)
    #expect(entry?.beatsPerMinute == 133)
    #expect(world.cycle().decision.link.isEmpty)
  }

  @Test("A tempo that peers could not tell from the session's is not committed")
  func sameOnTheWire() throws {
    var world = World(tempo: try #require(Tempo(beatsPerMinute: 60e6 / 428_571)))
    world.command = .proposeTempo(try #require(Tempo(beatsPerMinute: 140)))
    #expect(world.cycle().decision.link.isEmpty)
  }

  @Test("TEMPO-2: the tempo to found a session with is forgotten when there is one to join")
  func foundSession() throws {
    let tempo = try #require(Tempo(beatsPerMinute: 100))
    var alone = World()
    alone.command = .foundSession(tempo)
    #expect(alone.cycle().decision.link.tempo?.tempo == tempo)
    var joining = World()
    joining.peers = 1
    joining.command = .foundSession(tempo)
    #expect(joining.cycle().decision.link.isEmpty)
  }
}
