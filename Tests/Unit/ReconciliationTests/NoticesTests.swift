import MusicalTime
import Reconciliation
import Simulation
import Testing

/// The notices of a cycle.
@Suite struct NoticesTests {
  @Test func `That JACK leads is reported although a user's tempo is rejected in the same cycle`() throws {
    var studio = Studio()
    studio.daw = SelectionTests.daw(100)
    studio.engine.locate(to: 0)
    let tempo = try #require(Tempo(beatsPerMinute: 90))
    let isTold = studio.run(seconds: 1) { studio in
      studio.decisions.last?.notices.contains(.grid(.jackLeads)) == true
    }
    #expect(isTold)
    // The same again, with a user who asks for a tempo in that very cycle.
    let cycles = studio.decisions.count
    var again = Studio()
    again.daw = SelectionTests.daw(100)
    again.engine.locate(to: 0)
    for cycle in 1...cycles {
      if cycle == cycles { again.command = .proposeTempo(tempo) }
      again.step()
    }
    #expect(again.decisions.last?.notices == [.grid(.tempoIsJACKs), .grid(.jackLeads)])
  }

  @Test func `That a peer pressed play is reported although the start is put off in the same cycle`() {
    var studio = Studio(.init(rules: .holding(for: .seconds(1))))
    studio.run(seconds: 1)
    studio.peerPlays(at: studio.now + .milliseconds(4_000))
    #expect(
      studio.run(seconds: 0.1) { $0.decisions.last?.notices.count ?? 0 > 0 })
    let told = studio.decisions.last?.notices ?? []
    #expect(told.first == .transport(.peerPressedPlay))
    guard case .transport(.launchPostponed) = told.last else {
      Issue.record("\(told)")
      return
    }
    #expect(told.count == 2)
  }

  @Test func `That a start is put off is reported once, also where an owner's tempo is unknown`() {
    var studio = SelectionTests.followed(bpm: 151, peers: 1)
    #expect(studio.run(seconds: 2, after: .peerStarts(in: .milliseconds(600))) { $0.isRolling })
    #expect(studio.notices.count { if case .transport(.launchPostponed) = $0 { true } else { false } } == 1)
  }
}
