import Glibc
import JACK
import PropertyTesting
import Stage
import Testing

/// What happens to a launch between the press and the roll, and what is left of it.
///
/// At 240 beats per minute a quantum of four beats lasts a second, which is 48 000 frames.
@Suite(.serialized, .alone, .measured) struct ArmedTests {
  @Test func `A stop from either side cancels a launch that waits`() throws {
    let scene = try Scene(bpm: 240)
    try scene.join()
    for start in ["jackstart", "playnow"] {
      for stop in ["jackstop", "stop"] {
        let (before, after) = try scene.probe.attempt("a start that is stopped") {
          try scene.probe.awaitBeat(0.2)
          let before = try scene.rolls()
          try scene.probe.send(start)
          for state in ["starting", "playing"] { #expect(try scene.probe.awaitState(state)) }
          let wasInTime = try scene.rolls() == before
          try scene.probe.send(stop)
          let stopped = try scene.probe.peers()
          for state in ["stopped", "idle"] { #expect(try scene.probe.awaitState(state)) }
          // The quantum passes, and nothing begins.
          try scene.probe.send("wait 1.1")
          // Unless the press came too late in the quantum for what it was to stop.
          let beat = try #require(stopped["link_beat"]).truncatingRemainder(dividingBy: 4)
          return wasInTime && beat < 3.5 ? (before, try scene.probe.peers()) : nil
        }
        #expect(after["rolls"] == before, "\(start), \(stop)")
        #expect(after["jack_state"] == 0 && after["link_playing"] == 0, "\(start), \(stop)")
      }
    }
  }

  @Test func `A locate moves a launch that waits to the phase of its frame`() throws {
    let scene = try Scene(bpm: 240)
    try scene.join()
    // Its phase is 1.5 beats; the press is after it in the quantum.
    let launches = try (0..<3).map { _ in
      try scene.launchDisturbed(from: 0, byBeat: 1.7, watching: "locate") {
        try scene.probe.send("wait 0.1")
        try scene.probe.send("locate 66000")
      }
    }
    try expectInPhase(launches, from: 66_000, of: scene)
  }

  @Test func `A client that locates again and again delays a launch, and stops it if it wants`() throws {
    let scene = try Scene(bpm: 240)
    try scene.join()
    let report = try scene.probe.undisturbed("a launch amid locates") {
      try scene.rest()
      try scene.probe.send("jackstart")
      try scene.probe.send("locateloop 30 50")
      #expect(try scene.probe.awaitState("rolling"))
      try scene.probe.send("wait 1.2")
      return try scene.probe.measure(seconds: 1)
    }
    expectSteady(report)
    #expect(abs(try #require(report["frame_err_out_med"])) < accuracy + frameLength, "\(report)")

    try scene.rest()
    let editor = try Client.open(name: "editor", server: scene.server.name).activate(RealtimeHandler())
    defer { editor.close() }
    try scene.probe.send("jackstart")
    try scene.probe.child.write("locateloop 40 25\n")
    usleep(400_000)
    editor.stopTransport()
    usleep(700_000)
    for state in ["stopped", "idle"] { #expect(try scene.probe.awaitState(state), "\(state)") }
  }

  @Test func `A tempo change while a launch waits does not put it out of phase`() throws {
    let scene = try Scene(bpm: 240)
    try scene.join()
    for frame in [0, 66_000] {
      let launches = try [200, 240, 200].map { bpm in
        try scene.launchDisturbed(from: frame, byBeat: frame == 0 ? 0.3 : 1.8) {
          try scene.probe.send("wait 0.1")
          try scene.probe.send("tempo \(bpm)")
        }
      }
      try expectInPhase(launches, from: frame, of: scene)
    }
  }

  @Test func `A slow-sync client spoils the first launch at most, and that is put right`() throws {
    let (scene, first) = try Scene.undisturbed {
      let scene = try Scene(bpm: 240)
      try scene.join()
      try scene.probe.send("slow 300")
      return scene
    } _: { scene in
      // Nobody knows yet that 100 ms are not enough.
      try scene.probe.awaitBeat(-0.4)
      try scene.probe.send("jackstart")
      #expect(try scene.probe.awaitState("rolling"))
      try scene.probe.send("wait 2")
      return (report: try scene.probe.measure(seconds: 1), rolls: try scene.rolls())
    }
    expectSteady(first.report)
    #expect(first.report["relocations"] == 0)
    let error = abs(try #require(first.report["frame_err_out_med"]))
    #expect(error < accuracy + frameLength, "\(first.report)")
    #expect(first.rolls <= 2)
    let told = scene.logged("a JACK client was not ready in time")
    #expect(told.count == 1)

    let launches = try scene.launches(["jackstart", "playnow", "jackstart"], from: 0, atBeat: -0.4)
    try expectInPhase(launches, from: 0, of: scene)
    #expect(scene.logged("a JACK client was not ready in time") == told)
  }

  @Test func `When a slow-sync client has left, starts no longer leave it its time`() throws {
    let scene = try Scene(bpm: 240)
    try scene.join()
    let slow = try LinkProbe.start(server: scene.server, name: "slow", joinsLink: false)
    defer { slow.child.terminate() }
    try slow.send("slow 2500")
    for _ in 0..<2 {
      try scene.probe.send("jackstart")
      #expect(try scene.probe.awaitState("rolling"))
      // The first one is corrected, which takes as long again.
      try scene.probe.send("wait 4")
      #expect(try scene.probe.awaitState("rolling"))
      try scene.probe.send("jackstop")
      #expect(try scene.probe.awaitState("stopped"))
    }
    slow.child.terminate()
    try scene.probe.send("wait 1.5")
    let launches = try scene.launches(["jackstart"], from: 0)
    try expectInPhase(launches, from: 0, of: scene)
    let waits = scene.logged("start waits to be in phase").compactMap { line in
      line.split(separator: "beats ").last.flatMap { Double($0.dropLast()) }
    }
    // A quantum, and what it takes to put the playhead in place; at 240 bpm the client needs ten beats.
    #expect(waits.count == 3 && waits[1] > 10 && waits[2] < 6, "\(waits)")
  }

  @Test func `While a client is never ready, either side can stop`() throws {
    let scene = try Scene(bpm: 240)
    try scene.join()
    try scene.probe.send("slow never")
    for (start, stop) in [("jackstart", "jackstop"), ("playnow", "stop")] {
      try scene.probe.send(start)
      for state in ["starting", "playing"] { #expect(try scene.probe.awaitState(state), "\(state)") }
      // Longer than a quantum.
      try scene.probe.send("wait 1.3")
      let held = try scene.probe.peers()
      #expect(held["jack_state"] == 3 && held["link_playing"] == 1 && held["rolls"] == 0, "\(held)")
      try scene.probe.send(stop)
      for state in ["stopped", "idle"] { #expect(try scene.probe.awaitState(state), "\(state)") }
    }
    try scene.probe.send("slow off")
    let launches = try scene.launches(["jackstart", "playnow", "jackstart"], from: 0)
    try expectInPhase(launches, from: 0, of: scene)
  }

  @Test func `A server that dies while a launch waits takes the launch with it, not the bridge`() throws {
    // Slow enough for the launch to wait until the server dies, however slow the machine is.
    let scene = try Scene(bpm: 60)
    try scene.join()
    try scene.probe.awaitBeat(0.2)
    try scene.probe.send("playnow")
    #expect(try scene.probe.awaitState("starting"))
    scene.server.kill()
    try scene.bridge.awaitLine(in: .errors, "the loss") { $0.contains("server is gone") }
    #expect(try scene.probe.awaitState("alone"))
    let first = scene.bridge.lines(of: .errors).count
    try scene.server.start()
    try scene.bridge.awaitLine(in: .errors, from: first, "the return") { $0.contains("we own the timebase") }
    try scene.probe.send("reconnect 5")
    #expect(try scene.probe.awaitState("peers 1"))
    // The session it comes back to plays: that does not start JACK.
    try scene.probe.send("tempo 240")
    try scene.probe.send("wait 1.5")
    let back = try scene.probe.peers()
    #expect(back["jack_state"] == 0 && back["link_playing"] == 1 && back["rolls"] == 0, "\(back)")
    try scene.probe.send("stop")
    try scene.probe.send("wait 0.2")
    try expectOnNextQuantum(try scene.probe.launch(by: "playnow"), of: 1, in: scene)
  }

  @Test func `A peer that joins a rolling JACK sees the session play, and can stop it`() throws {
    let (scene, report) = try Scene.undisturbed {
      try Scene(period: 1024, bpm: 240)
    } _: { scene in
      try scene.roll()
      try scene.letSessionAge()
      let first = scene.probe.child.lines().count
      try scene.probe.child.write("measure joining 2.5\n")
      let peer = try LinkProbe.start(server: nil)
      #expect(try peer.awaitState("peers 1"))
      #expect(try peer.awaitState("playing"))
      let report = try scene.probe.awaitReport("the measurement", from: first) {
        $0.word("measure") == "joining"
      }
      #expect(try peer.peers()["link_playing"] == 1)
      try peer.send("stop")
      #expect(try scene.probe.awaitState("stopped"))
      return report.isUndisturbed ? report : nil
    }
    expectSteady(report)
    #expect(report["rolling"] == report["cycles"])
    #expect(report["relocations"] == 0)
    #expect(scene.bridge.isRunning)
  }

  @Test func `Presses within one period end with the last one's wish`() throws {
    let scene = try Scene(period: 1024, bpm: 240)
    try scene.join()
    for _ in 0..<3 {
      try scene.probe.child.write("jackstart\njackstop\njackstart\n")
      for state in ["playing", "rolling"] { #expect(try scene.probe.awaitState(state), "\(state)") }
      try scene.probe.send("wait 0.3")
      let started = try scene.probe.awaitPeers { $0["jack_state"] == 1 && $0["link_playing"] == 1 }
      #expect(started["jack_state"] == 1 && started["link_playing"] == 1, "\(started)")
      try scene.probe.child.write("locate 96000\njackstop\n")
      try scene.probe.send("wait 0.2")
      for state in ["idle", "stopped"] { #expect(try scene.probe.awaitState(state), "\(state)") }
      try scene.probe.send("wait 0.3")
      let stopped = try scene.probe.peers()
      #expect(stopped["jack_state"] == 0 && stopped["link_playing"] == 0, "\(stopped)")
    }
  }

  @Test func `Random presses, locates and tempo changes from all sides end agreed, and lose no stop`() throws
  {
    let seed = UInt64.random(in: 1...1000)
    let scene = try Scene(bpm: 200)
    try scene.join()
    var random = Seeded(seed: seed)
    var tally = try scene.press(60, checkingEvery: 30, using: &random)
    // News of a tempo that come late, on a busy machine, look like a move of the grid; all else they do not excuse.
    for _ in 1..<3 where tally.linkJumps != 0 {
      #expect(!tally.hasFault, "seed \(seed): \(tally)")
      tally = try scene.press(60, checkingEvery: 30, using: &random)
    }
    #expect(tally.isClean, "seed \(seed): \(tally)")
    #expect(scene.bridge.isRunning)
  }
}
