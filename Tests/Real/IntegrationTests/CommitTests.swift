import Bridge
import MusicalTime
import Reconciliation
import Stage
import Testing

/// The bridge commits to Link only to change something, because every commit reaches every peer.
@Suite(.serialized, .alone, .measured) struct CommitTests {
  @Test(arguments: [SyncMode.auto, .link, .jack])
  func `Commits are counted: none while nothing changes, and as many as there are changes`(
    mode: SyncMode
  ) async throws {
    // In long periods, few of which are missed: after a missed one there may be more to change.
    let server = try JackServer.started(period: 1024)
    var configuration = BridgeConfiguration()
    configuration.server = server.name
    configuration.tempo = Tempo(beatsPerMinute: 240)
    configuration.reconciler.choices.take(.mode(mode))
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
    // It has to be gone before the others go and another test begins: in libjack, a client that closes while
    // another does may hang, and all that the process then opens with it.
    work.cancel()
    await work.value
    withExtendedLifetime((server, probe)) {}
    if let failure { throw failure }
  }

  private func count(_ bridge: Bridge, _ probe: LinkProbe) async throws {
    #expect(try probe.awaitState("peers 1"))
    try probe.send("wait 0.5")

    /// The number of commits while `body` runs and for a moment after it, without a missed deadline; `after`
    /// restores the state before.
    func commits(
      _ check: String, _ body: () throws -> Void, after: () throws -> Void = {}
    ) async throws -> Int? {
      let before = try probe.missedDeadlines()
      var (commits, attempts) = (nil as Int?, 0)
      while commits == nil && attempts < 5 {
        attempts += 1
        let missed = try probe.peers()
        let first = try #require(await bridge.status()).session.commits
        try body()
        try probe.send("wait 0.2")
        let last = try #require(await bridge.status()).session.commits
        let now = try probe.peers()
        if ["late", "xruns"].allSatisfy({ missed[$0] == now[$0] }) { commits = last - first }
        try after()
      }
      let missed = try probe.missedDeadlines() - before
      Judged("commits: \(check)", isJudged: commits != nil, attempts: attempts, missed: missed).tell()
      return commits
    }
    func start() throws {
      try probe.send("jackstart")
      #expect(try probe.awaitState("rolling"))
      #expect(try probe.awaitState("playing"))
    }
    func stop() throws {
      try probe.send("jackstop")
      for state in ["idle", "stopped"] { #expect(try probe.awaitState(state)) }
    }

    if let rest = try await commits("rest", { try probe.send("wait 0.7") }) { #expect(rest == 0) }
    // A start that had to be planned anew is committed again.
    if let start = try await commits("a start", start, after: stop) { #expect((1...2).contains(start)) }
    try start()
    try probe.send("wait 0.2")
    if let rolling = try await commits("rolling", { try probe.send("wait 0.7") }) { #expect(rolling == 0) }
    // A peer's change is not committed to it again.
    let tempo = try await commits("a peer's tempo", { try probe.send("tempo 200") }) {
      try probe.send("tempo 240")
      try probe.send("wait 0.2")
    }
    if let tempo { #expect(tempo == 0) }
    if let stop = try await commits("a stop", stop, after: start) { #expect(stop == 1) }
    try stop()
    let peers = try await commits("a peer's presses") {
      for (press, state) in [("playnow", "rolling"), ("stop", "stopped")] {
        try probe.send(press)
        #expect(try probe.awaitState(state))
      }
    }
    if let peers { #expect(peers == 0) }
  }
}
