import Foundation
import JACK
import MusicalTime
import Stage
import Testing

extension JACKSuite {
  @Suite struct Server {
    init() { quiet }

    @Test(
      "When the server ends, the client learns of it, its calls do nothing, and it can be closed",
      arguments: [SIGTERM, SIGKILL])
    func shutdown(signal: Int32) async throws {
      let server = try JackServer.started()
      let handler = WholeCycle()
      let client = try Client.open(name: "a", server: server.name).activate(handler)
      _ = try client.takeTimebase(conditionally: true)
      client.startTransport()
      #expect(try await eventually { handler.isRolling.load(ordering: .relaxed) })

      if signal == SIGTERM { server.terminate() } else { server.kill() }
      let event = await first(of: client.events) { $0.isShutdown }
      #expect(event?.isShutdown == true)
      #expect(client.transport() == nil)
      #expect(!client.startTransport())
      #expect(client.largestPlaybackLatency() == nil)
      #expect(client.bufferSize == 256)
      #expect(throws: JACKError.serverGone) { _ = try client.takeTimebase(conditionally: true) }

      let isClosed: Void? = await within(seconds: 30) { client.close() }
      #expect(isClosed != nil)
      client.close()
      #expect(throws: JACKError.clientClosed) { _ = try client.takeTimebase(conditionally: true) }
    }

    @Test("Calls on other threads survive the end of the server and the close of the client")
    func shutdownDuringCalls() async throws {
      for signal in [SIGKILL, SIGTERM, SIGKILL] {
        let server = try JackServer.started()
        let client = try Client.open(name: "busy", server: server.name).activate(RealtimeHandler())
        // Threads of their own: calls that block must not take those that tests run on.
        let (returned, caller) = AsyncStream<Void>.makeStream()
        for _ in 0..<2 {
          Thread.detachNewThread {
            callUntilClosed(client)
            caller.yield()
          }
        }
        try await Task.sleep(for: .milliseconds(50))
        if signal == SIGTERM { server.terminate() } else { server.kill() }
        #expect(await first(of: client.events) { $0.isShutdown } != nil)
        let isClosed: Void? = await within(seconds: 30) { client.close() }
        #expect(isClosed != nil)
        let bothReturned: Void? = await within(seconds: 30) { for await _ in returned.prefix(2) {} }
        #expect(bothReturned != nil)
      }
    }

    @Test func `A full stream of events loses the oldest, never the shutdown`() async throws {
      let server = try JackServer.started()
      let client = try Client.open(name: "deaf", server: server.name).activate(RealtimeHandler())
      for _ in 0..<150 {
        let other = try Client.open(name: "other", server: server.name).activate(RealtimeHandler())
        other.close()
      }
      server.terminate()
      #expect(try await eventually { client.transport() == nil })
      let events = await within(seconds: 30) {
        var events: [ServerEvent] = []
        for await event in client.events { events.append(event) }
        return events
      }
      #expect(events?.last?.isShutdown == true)
      #expect((events?.count ?? 0) <= 256)
    }

    @Test("A client gets events of others that come and go, and its events end when it closes")
    func events() async throws {
      let server = try JackServer.started()
      let client = try Client.open(name: "a", server: server.name).activate(RealtimeHandler())
      let event = await first(of: client.events) { $0 == .graphOrderChanged }
      #expect(event == .graphOrderChanged)
      try Client.open(name: "b", server: server.name).activate(RealtimeHandler()).close()
      #expect(await first(of: client.events) { $0 == .clientLeft } == .clientLeft)
      client.close()
      let ended: Void? = await within(seconds: 30) { for await _ in client.events {} }
      #expect(ended != nil)
    }

    @Test(
      "A change of the buffer size and freewheeling are reported",
      .enabled(if: Child.locate("jack_bufsize") != nil && Child.locate("jack_freewheel") != nil))
    func changes() async throws {
      let server = try JackServer.started()
      let handler = WholeCycle()
      let client = try Client.open(name: "a", server: server.name).activate(handler)
      try run("jack_bufsize", "512", on: server)
      #expect(await first(of: client.events) { $0 == .bufferSizeChanged(512) } != nil)
      #expect(client.bufferSize == 512)
      #expect(try await eventually { handler.frameCount.load(ordering: .relaxed) == 512 })
      #expect(client.largestPlaybackLatency() == FrameCount(1024))
      #expect(client.playbackLatency(of: "system:playback_2") == FrameCount(1024))
      #expect(client.playbackLatency(of: "system:playback_99") == nil)
      #expect(client.playbackLatency(of: "") == nil)
      try run("jack_freewheel", "y", on: server)
      #expect(await first(of: client.events) { $0 == .freewheel(true) } != nil)
      try run("jack_freewheel", "n", on: server)
      #expect(await first(of: client.events) { $0 == .freewheel(false) } != nil)
    }

    @Test func `The real-time thread has a name of its own, as long as the kernel keeps one`() async throws {
      let server = try JackServer.started()
      for (name, thread) in [("jackstay", "jackstay-rt"), ("a name of many words", "a name of ma-rt")] {
        let client = try Client.open(name: name, server: server.name).activate(RealtimeHandler())
        let tasks = "/proc/self/task"
        let names = try FileManager.default.contentsOfDirectory(atPath: tasks).compactMap {
          try? String(contentsOfFile: "\(tasks)/\($0)/comm", encoding: .utf8)
        }
        #expect(names.contains { $0 == thread + "\n" }, "\(names)")
        client.close()
      }
    }

    @Test(
      "The other clients that are heard have audio outputs; where some are connected to physical ones, those have"
    )
    func heardClients() async throws {
      let server = try JackServer.started()
      let opened = try Client.open(name: "a", server: server.name)
      _ = try opened.addAudioOutput("own")
      #expect(throws: JACKError.portTaken("a:own")) { try opened.addAudioOutput("own") }
      let client = try opened.activate(RealtimeHandler())
      #expect(client.heardClients() == [])
      try run("jack_connect", "a:own", "system:playback_1", on: server)
      #expect(client.heardClients() == [])
      let programs = try ["one", "two", "ardour-01"].map {
        try Child("jack_metro", ["-n", $0, "-b", "120"], environment: server.environment)
      }
      defer { for program in programs { program.terminate() } }
      #expect(try await eventually { client.heardClients() == ["ardour-01", "one", "two"] })
      for port in ["system:playback_1", "system:playback_2"] {
        try run("jack_connect", "two:120_bpm", port, on: server)
      }
      #expect(try await eventually { client.heardClients() == ["two"] })
      programs[1].terminate()
      #expect(try await eventually { client.heardClients() == ["ardour-01", "one"] })
      client.close()
      #expect(client.heardClients() == [])
    }

    @Test func `The playback latency is two cycles of the dummy driver`() throws {
      let server = try JackServer.started()
      let client = try Client.open(name: "a", server: server.name).activate(RealtimeHandler())
      #expect(client.largestPlaybackLatency() == FrameCount(512))
    }

    @Test func `A property that another client has written is reported`() async throws {
      let server = try JackServer.started()
      let client = try Client.open(name: "a", server: server.name).activate(RealtimeHandler())
      let key = "https://example.org/jackstay/tempo"
      try client.setProperty("120", key: key)
      try run("jack_property", "-s", "--client", "a", key, "99", on: server)
      let changes = client.propertyChanges
      let isTold = await within(seconds: 30) {
        for await _ in changes { if (try? client.property(key: key))?.value == "99" { return true } }
        return false
      }
      #expect(isTold == true)
      client.close()
      #expect(
        await within(seconds: 30) {
          for await _ in changes {}; return true
        } == true, "it ends")
    }

    @Test func `A server that has died keeps no properties of a client that is closed`() async throws {
      let server = try JackServer.started()
      let client = try Client.open(name: "a", server: server.name).activate(RealtimeHandler())
      let key = "https://example.org/jackstay/left"
      try client.setProperty("120", key: key)
      let before = try Child("jack_property", ["-l"], environment: server.environment)
      _ = try before.wait()
      #expect(before.text().contains(key))
      server.kill()
      // One that still seems to live is left to do it itself.
      let isGone = await within(seconds: 30) {
        for await event in client.events { if case .shutdown = event { return true } }
        return false
      }
      #expect(isGone == true)
      client.close()
      try server.start()
      let after = try Child("jack_property", ["-l"], environment: server.environment)
      _ = try after.wait()
      #expect(!after.text().contains(key))
    }

    @Test func `A property can be set, read, changed and removed`() throws {
      let server = try JackServer.started()
      let client = try Client.open(name: "a", server: server.name).activate(RealtimeHandler())
      let key = "https://example.org/jackstay/tempo"
      #expect(try client.property(key: key) == nil)
      try client.setProperty("120", key: key)
      #expect(try client.property(key: key)?.value == "120")
      try client.setProperty("bpm → 99", key: key, type: "text/plain")
      #expect(try client.property(key: key) == Property(value: "bpm → 99", type: "text/plain"))
      try client.removeProperty(key: key)
      #expect(try client.property(key: key) == nil)
      #expect(throws: JACKError.invalidProperty(key: "")) { try client.setProperty("1", key: "") }
      #expect(throws: JACKError.invalidProperty(key: key)) { try client.setProperty("1\u{0}", key: key) }
    }
  }
}

/// Runs one of JACK's own programs on `server`, to its end.
private func run(_ program: String, _ arguments: String..., on server: JackServer) throws {
  #expect(try Child(program, arguments, environment: server.environment).wait().isSuccess)
}

/// Calls JACK without pause for as long as `client` is open, whether its server is there or not.
private func callUntilClosed(_ client: ActiveClient) {
  while true {
    do throws(JACKError) {
      _ = try client.takeTimebase(conditionally: true)
      _ = client.transport()
      _ = client.largestPlaybackLatency()
    } catch .clientClosed {
      return
    } catch {
      usleep(1000)
    }
  }
}
