import Bridge
import MusicalTime
import Reconciliation
import Stage
import Testing

/// That the bridge commits to Link only to change something: a commit wakes a thread and makes Link deaf for a second.
@Suite(.serialized, .alone, .measured) struct CommitTests {
  @Test(arguments: [Selection.auto, .link, .jack])
  func `Commits are counted: none while nothing changes, and as many as there are changes`(
    selection: Selection
  ) async throws {
    let server = try JackServer.started()
    var configuration = BridgeConfiguration()
    configuration.server = server.name
    configuration.tempo = Tempo(beatsPerMinute: 240)
    configuration.reconciler.selection = selection
    let bridge = try Bridge(configuration)
    let work = Task { try? await bridge.run() }
    var (probe, failure): (LinkProbe?, (any Error)?)
    do {
      let started = try LinkProbe.start(server: server, bpm: 240)
      probe = started
      try await count(bridge, started)
    } catch {
      failure = error
    }
    // It has to be gone before the others go and another test begins: in libjack, a client that closes while another
    // does may hang, and all that the process then opens with it.
    work.cancel()
    await work.value
    withExtendedLifetime((server, probe)) {}
    if let failure { throw failure }
  }

  private func count(_ bridge: Bridge, _ probe: LinkProbe) async throws {
    #expect(try probe.awaitState("peers 1"))
    try probe.send("wait 0.5")

    /// What is committed while `body` runs and for a moment after it.
    func commits(_ body: () throws -> Void) async throws -> Int {
      let before = try #require(await bridge.status()).commits
      try body()
      try probe.send("wait 0.2")
      return try #require(await bridge.status()).commits - before
    }
    let rest = try await commits { try probe.send("wait 1") }
    #expect(rest == 0)
    let start = try await commits {
      try probe.send("jackstart")
      #expect(try probe.awaitState("rolling"))
    }
    // A start that had to be planned anew, for a missed deadline, is told again.
    #expect((1...2).contains(start))
    let rolling = try await commits { try probe.send("wait 1") }
    #expect(rolling == 0)
    // What a peer changes is not told to it again.
    let tempo = try await commits { try probe.send("tempo 200") }
    #expect(tempo == 0)
    let stop = try await commits {
      try probe.send("jackstop")
      #expect(try probe.awaitState("idle"))
    }
    #expect(stop == 1)
    let peers = try await commits {
      for (press, state) in [("playnow", "rolling"), ("stop", "stopped")] {
        try probe.send(press)
        #expect(try probe.awaitState(state))
      }
    }
    #expect(peers == 0)
  }
}
