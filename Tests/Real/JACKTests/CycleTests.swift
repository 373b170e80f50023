import JACK
import MusicalTime
import Stage
import Testing

extension JACKSuite {
  @Suite struct Cycle {
    init() { quiet }

    @Test func `Everything a cycle offers works from functions that may not lock`() async throws {
      let server = try JackServer.started()
      let handler = WholeCycle()
      let client = try Client.open(name: "whole", server: server.name).activate(handler)
      #expect(try client.takeTimebase(conditionally: true))
      #expect(try await eventually { handler.cyclesInOrder.load(ordering: .relaxed) > 20 })
      #expect(handler.frameCount.load(ordering: .relaxed) == 256)

      handler.request.store(.start, ordering: .relaxed)
      #expect(try await eventually { handler.isRolling.load(ordering: .relaxed) })
      let called = handler.timebaseCalls.load(ordering: .relaxed)
      #expect(try await eventually { handler.timebaseCalls.load(ordering: .relaxed) > called + 10 })

      handler.request.store(.locate, ordering: .relaxed)
      #expect(try await eventually { handler.frame.load(ordering: .relaxed) >= 480_000 })
      #expect(try await eventually { client.transport()?.position.frame.number ?? 0 >= 480_000 })

      handler.request.store(.stop, ordering: .relaxed)
      #expect(try await eventually { client.transport()?.state == .stopped })
    }

    @Test func `The transport starts, goes elsewhere and stops when another thread asks`() async throws {
      let server = try JackServer.started()
      let client = try Client.open(name: "a", server: server.name).activate(RealtimeHandler())
      #expect(client.transport()?.state == .stopped)
      #expect(client.startTransport())
      #expect(try await eventually { client.transport()?.state == .rolling })
      #expect(client.locateTransport(to: 96_000))
      #expect(
        try await eventually { (96_000..<480_000).contains(client.transport()?.position.frame.number ?? 0) })
      #expect(client.stopTransport())
      #expect(try await eventually { client.transport()?.state == .stopped })
      let bbt = BarBeatTick(nearest: .zero + .one, meter: .common, ticksPerBeat: .standard)
      #expect(client.repositionTransport(to: 24_000, showing: bbt, beatsPerMinute: 100))
      #expect(
        try await eventually {
          let position = client.transport()?.position
          return position?.frame == 24_000 && position?.timebase.beatsPerMinute == 100
            && position?.timebase.beat == 2
        })
      #expect(try #require(client.now()) > HostTime(nanoseconds: 0))
    }

    @Test func `The transport waits in starting until a client that is slow to sync is ready`() async throws {
      let server = try JackServer.started()
      let handler = WholeCycle()
      handler.isReady.store(false, ordering: .relaxed)
      let client = try Client.open(name: "slow", server: server.name).activate(handler)
      try client.setSyncTimeout(.seconds(60))
      try client.setSlowSync(true)
      client.startTransport()
      #expect(try await eventually { handler.syncsWhileStarting.load(ordering: .relaxed) > 20 })
      #expect(client.transport()?.state == .starting)
      handler.isReady.store(true, ordering: .relaxed)
      #expect(try await eventually { client.transport()?.state == .rolling })

      client.stopTransport()
      #expect(try await eventually { client.transport()?.state == .stopped })
      try client.setSlowSync(false)
      handler.isReady.store(false, ordering: .relaxed)
      client.startTransport()
      #expect(try await eventually { client.transport()?.state == .rolling })
    }

    @Test func `The transport rolls without a client that is not ready in time`() async throws {
      let server = try JackServer.started()
      let handler = WholeCycle()
      handler.isReady.store(false, ordering: .relaxed)
      let client = try Client.open(name: "slow", server: server.name).activate(handler)
      try client.setSyncTimeout(.milliseconds(100))
      try client.setSlowSync(true)
      client.startTransport()
      #expect(try await eventually { client.transport()?.state == .rolling })
    }
  }
}
