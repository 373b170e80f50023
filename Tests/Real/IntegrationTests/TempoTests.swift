import Glibc
import Stage
import Testing

@Suite(.serialized, .alone, .measured) struct TempoTests {
  @Test(.onEveryServer) func `TEMPO-1: JACK clients read a peer's tempo, stopped and rolling`() throws {
    let scene = try Scene()
    try scene.join()
    for rolls in [false, true] {
      if rolls { try scene.roll() }
      for bpm in [90, 137.53, 60, 240] {
        let change = try scene.probe.changeTempo(bpm)
        #expect(try #require(change["ms"]) < 5000, "\(bpm), rolling: \(rolls)")
        let now = try scene.probe.peers()
        #expect(abs(now.beatLength("jack_bpm") - 60e6 / bpm) < 1)
        #expect(try scene.probe.awaitState(rolls ? "rolling" : "stopped"))
      }
    }
    guard let report = try scene.probe.judgeWindow() else { return }
    expectSteady(report)
    #expect(abs(try #require(report.certain("err_out_med"))) < accuracy)
    #expect(report["link_jumps"] == 0)
  }

  @Test(.onEveryServer)
  func `TEMPO-1: A peer that joins takes the tempo with which the bridge has founded the session`() throws {
    let server = try JackServer.started()
    let bridge = try Scene.bridge(on: server, flags: ["--tempo", "97"])
    #expect(DiscoveryPort.await(inUse: true))
    // Link takes one session for older than another only if it is by more than half a second.
    usleep(700_000)
    let peer = try LinkProbe.start(server: nil, bpm: 150)
    #expect(try peer.awaitState("peers 1"))
    #expect(abs(try peer.peers().beatLength("link_bpm") - 60e6 / 97) < 1)
    #expect(bridge.isRunning)
  }

  @Test func `A peer that comes as the last one leaves does not replace the tempo while JACK rolls`() throws {
    let scene = try Scene()
    let other = try LinkProbe.start(server: nil)
    try other.send("enable 0")
    try scene.join()
    try scene.roll()
    var (leaving, coming) = (scene.probe, other)
    for _ in 0..<4 {
      try coming.send("tempo 90")
      try leaving.send("enable 0")
      // Link takes sessions whose ages differ by less than half a second for equally old.
      try coming.send("wait 0.1")
      try coming.send("enable 1")
      #expect(try coming.awaitState("peers 1"))
      try coming.send("wait 1")
      let report = try coming.peers()
      #expect(abs(report.beatLength("link_bpm") - 60e6 / 120) < 1, "\(report)")
      (leaving, coming) = (coming, leaving)
    }
  }

  @Test(arguments: [false, true])
  func `TEMPO-1: A reposition with another tempo changes nothing in the session`(rolls: Bool) throws {
    let scene = try Scene()
    try scene.join()
    if rolls { try scene.roll() }
    let before = try scene.probe.peers()
    #expect(try scene.probe.send("reposition 96000 77").last?["rc"] == 0)
    try scene.probe.send("wait 0.5")
    let after = try scene.probe.peers()
    // A roll begins at most a period from there.
    #expect(try #require(after["frame"]) > 96_000 - Double(scene.server.period))
    #expect(after["jack_bpm"] == 120)
    #expect(after["link_bpm"] == 120)
    #expect(after["tempo_changes"] == before["tempo_changes"])
  }

  @Test func `TEMPO-3: Another owner of the timebase changes nothing in the session by coming and going`()
    throws
  {
    let scene = try Scene()
    try scene.join()
    try scene.roll()
    let before = try scene.probe.peers()
    try scene.probe.send("master 77 3")
    try scene.bridge.awaitLine(in: .errors, "the loss") { $0.contains("JACK leads") }
    let foreign = try scene.probe.awaitPeers { $0["jack_bpm"] == 77 }
    #expect(foreign["jack_bpm"] == 77)
    #expect(foreign["link_bpm"] == 120)
    try scene.probe.send("tempo 130")
    // As long as another owns the timebase JACK has its tempo, and Link its own.
    try scene.probe.send("wait 0.5")
    #expect(try scene.probe.peers()["jack_bpm"] == 77)

    let first = scene.bridge.lines(of: .errors).count
    try scene.probe.send("release")
    try scene.bridge.awaitLine(in: .errors, from: first, "the return") {
      $0.contains("the bridge owns the timebase")
    }
    let after = try scene.probe.awaitPeers { abs($0.beatLength("jack_bpm") - 60e6 / 130) < 1 }
    #expect(abs(after.beatLength("jack_bpm") - 60e6 / 130) < 1)
    #expect(try #require(after["tempo_changes"]) == #require(before["tempo_changes"]) + 1)
  }

  @Test
  func `JACK clients read a peer's tempo at once, however soon after one of the bridge's`() throws {
    let scene = try Scene()
    try scene.join()
    var late = 0
    for (round, wait) in [0.05, 0.2, 0.5, 0.9].enumerated() {
      let (ours, peers) = (100 + Double(round), 140 + Double(round))
      try scene.bridge.write("tempo \(ours)\n")
      _ = try scene.probe.awaitPeers { abs($0.beatLength("link_bpm") - 60e6 / ours) < 1 }
      try scene.probe.send("wait \(wait)")
      try scene.probe.send("tempo \(peers)")
      try scene.probe.send("wait 0.3")
      let now = try scene.probe.peers()
      if abs(now.beatLength("jack_bpm") - 60e6 / peers) >= 1 { late += 1 }
    }
    #expect(late == 0)
  }

  @Test func `Tempos that are typed one after the other are the session's one after the other`() throws {
    let scene = try Scene()
    try scene.join()
    var late = 0
    for round in 0..<5 {
      let wanted = 110 + Double(round)
      try scene.bridge.write("tempo 101\n")
      try scene.bridge.write("tempo \(wanted)\n")
      try scene.probe.send("wait 0.4")
      if try abs(scene.probe.peers().beatLength("link_bpm") - 60e6 / wanted) >= 1 { late += 1 }
      try scene.probe.send("wait 0.2")
    }
    #expect(late == 0)
  }

  @Test func `Tempo commands before and after a peer's tempo leave the grid where it is`() throws {
    let scene = try Scene()
    try scene.join()
    for (command, bpm, gap) in [(130.0, 160.0, 0.6), (120, 150, 0.3)] {
      // Messages of a tempo that come late to the probe, on a busy machine, look like a move of the grid, but
      // not each time. A thread that does not know of a peer's tempo moves it each time, and no missed
      // deadline does.
      let still = try scene.probe.attempt("the grid at tempo commands", for: .seconds(8)) { () -> Bool? in
        let moves = scene.probe.gridMoves.count
        try scene.bridge.write("tempo \(command)\n")
        try scene.probe.send("wait 0.2")
        try scene.probe.send("tempo \(bpm)")
        try scene.probe.send("wait \(gap)")
        try scene.bridge.write("tempo 100\n")
        #expect(try scene.probe.awaitPeers { $0["link_bpm"] == 100 }["link_bpm"] == 100)
        try scene.probe.send("wait 1.2")
        return scene.probe.gridMoves.count == moves ? true : nil
      }
      #expect(still == true, "\(command), \(bpm)")
    }
  }

  @Test func `TEMPO-2: Of 200 starts none changes the tempo of a session that exists`() throws {
    // A server takes one bridge, a machine at most eight servers, and other tests run beside this one.
    let servers = try (0..<4).map { _ in try JackServer.started(period: 1024) }
    let peer = try LinkProbe.start(server: servers[0], bpm: 137.53)
    try peer.send("wait 0.6")
    let before = try peer.peers()
    var (starts, lost) = (0, 0)
    while starts < 200 {
      // Each has a name of its own: libjack's socket for a client is named after that, and not after the server, which
      // reaches another server's client where two of the same name come at once. It then takes in no more.
      let bridges = try servers.enumerated().map { number, server in
        try Child(
          Products.path("jackstay"), ["--tempo", "100", "--name", "bridge\(number)"],
          environment: server.environment)
      }
      // Peers that fail to measure each other at once try again after half a minute, and may fail again. Such
      // a start is made anew; its effect on the tempo counts like any other's.
      guard try peer.awaitState("peers \(bridges.count)", seconds: 45) else {
        lost += 1
        let found = try peer.peers()
        let said = bridges.map { $0.lines().suffix(3) + $0.lines(of: .errors).suffix(3) }
        try #require(lost <= 2, "starts that did not find each other: \(lost); \(found); they say \(said)")
        for bridge in bridges { bridge.signal(SIGTERM) }
        for bridge in bridges { #expect(try bridge.wait().isSuccess) }
        #expect(try peer.awaitState("alone"))
        continue
      }
      // A peer that has joined could still commit something.
      try peer.send("wait 0.1")
      #expect(try peer.peers()["link_bpm"] == before["link_bpm"])
      let joined = try peer.awaitPeers { abs($0.beatLength("jack_bpm") - 60e6 / 137.53) < 1 }
      #expect(abs(joined.beatLength("jack_bpm") - 60e6 / 137.53) < 1)
      #expect(joined["link_bpm"] == before["link_bpm"])
      for bridge in bridges { bridge.signal(SIGTERM) }
      for bridge in bridges { #expect(try bridge.wait().isSuccess) }
      #expect(try peer.awaitState("alone"))
      starts += bridges.count
    }
    // The probe hears of every change of the session's tempo, however short.
    let after = try peer.peers()
    #expect(after["tempo_changes"] == before["tempo_changes"])
    #expect(after["link_bpm"] == before["link_bpm"])
  }

  @Test(arguments: [20, 54.321, 500, 999])
  func `TEMPO-4: JACK and Link are in sync at the ends of Link's tempos and in between`(bpm: Double) throws {
    let scene = try Scene()
    try scene.join()
    try scene.roll()
    try scene.probe.changeTempo(bpm)
    // A beat that was ahead of a slower one waits for it.
    try scene.probe.send("wait 1")
    guard let report = try scene.probe.judgeWindow() else { return }
    expectSteady(report)
    #expect(abs(report.beatLength("jack_bpm") - 60e6 / bpm) < 1)
    #expect(abs(report.beatLength("jack_bpm") - report.beatLength("link_bpm")) < 1)
    #expect(abs(try #require(report.certain("err_out_med"))) < accuracy)
    #expect(report["link_jumps"] == 0)
  }

  @Test func `TEMPO-5: Enabling and disabling Link without a session to join leaves the tempo alone`() throws
  {
    let scene = try Scene(period: 1024, bpm: 97)
    #expect(try scene.probe.awaitPeers { $0["jack_bpm"] == 97 }["jack_bpm"] == 97)
    #expect(DiscoveryPort.await(inUse: true))
    try scene.probe.send("wait 0.3")
    #expect(try scene.probe.peers()["jack_bpm"] == 97)
    // The bridge disables Link when the server goes, and enables it when there is one again.
    scene.server.terminate()
    #expect(DiscoveryPort.await(inUse: false))
    try scene.server.start()
    try scene.probe.send("reconnect 5")
    #expect(DiscoveryPort.await(inUse: true))
    #expect(try scene.probe.awaitPeers { $0["jack_bpm"] == 97 }["jack_bpm"] == 97)
    try scene.probe.send("wait 0.3")
    #expect(try scene.probe.peers()["jack_bpm"] == 97)
  }
}
