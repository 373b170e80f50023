import Control
import Dispatch
import Host
import JSON
import Patience
import Settings
import Stage
import Synchronization
import Testing

@testable import OSC
@testable import Settings

/// The bridge's end of OSC, with a client at the other.
@Suite struct OSCServerTests {
  /// A server with the test's answers, that ends with the object.
  private final class Host {
    let server: OSCServer
    let port: UInt16
    private let work: Task<Void, Never>

    init(
      status: @escaping @Sendable () -> JSONObject = { ["tempo": 120] },
      _ answer: @escaping @Sendable (String) async -> ControlAnswer
    ) throws {
      port = try OSCPeer.freePort()
      let address = ListenAddress.loopback(UInt16(port))
      let server = try OSCServer(OSCSocket(address), words: Instruction.vocabulary)
      self.server = server
      work = Task(executorPreference: Apart()) {
        await server.run { $0 == "status" ? .status(status()) : await answer($0) }
      }
    }

    deinit {
      work.cancel()
      server.finish(within: .seconds(2))
    }
  }

  /// A thread for what must not wait for the tests, which block those of the shared pool.
  private final class Apart: TaskExecutor {
    private let queue = DispatchQueue(label: "apart")

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
  }

  @Test func `Requests are carried out in order, and answered to their senders`() throws {
    let lines = Mutex<[String]>([])
    let host = try Host { line in
      lines.withLock { $0.append(line) }
      return line == "stop" ? .refused("it rests") : .taken
    }
    let (one, other) = (try OSCPeer(sendingTo: host.port), try OSCPeer(sendingTo: host.port))
    one.send(bundle: [
      ("/jackstay/tempo", [.float(99)]), ("/jackstay/start", []), ("/jackstay/stop", [.truth(true)]),
    ])
    let answers = (0..<3).compactMap { _ in one.next() }
    #expect(answers.allSatisfy { $0.address == "/jackstay/answer" })
    #expect(
      answers.map(\.texts) == [
        ["taken", "/jackstay/tempo"], ["taken", "/jackstay/start"],
        ["refused", "/jackstay/stop", "it rests"],
      ])
    #expect(lines.withLock { $0 } == ["tempo 99", "start", "stop"])
    #expect(other.ask("/jackstay/value/tempo")?.values == [.float(120)])
    #expect(one.rest().isEmpty, "it was not asked by that one")
  }

  @Test func `A malformed datagram is counted and has no answer, nor has one for other programs`() throws {
    let host = try Host { _ in .error("never") }
    let peer = try OSCPeer(sendingTo: host.port)
    for bytes in [[], [0], Array("nonsense".utf8), [UInt8](repeating: 255, count: 9000)] {
      peer.send(bytes: bytes)
    }
    peer.send(bundle: (0..<65).map { _ in ("/jackstay/status", []) })
    for address in ["/fail", "/jackstay/answer", "/jackstay/event/x", "/a"] { peer.send(address, .int(1)) }
    peer.send("/jackstay/start", .float(0))
    // The last question is answered when all before were looked at.
    #expect(peer.ask("/jackstay/nonsense")?.texts.first == "error")
    #expect(peer.rest().isEmpty)
    #expect(host.server.tally == OSCServer.Tally(malformed: 5, wrong: 5))
    let status = host.server.status
    #expect(status["osc"] == .string("127.0.0.1:\(host.port)") && status["osc_malformed"] == 5)
  }

  @Test func `A subscriber gets values, events and changes, until it unsubscribes`() throws {
    let tempo = Mutex(120.0)
    let host = try Host(status: { ["tempo": .number(tempo.withLock { $0 }), "phase": 1] }) { _ in .taken }
    let peer = try OSCPeer(sendingTo: host.port)
    let faders = try OSCPeer(sendingTo: host.port)
    #expect(peer.ask("/jackstay/unsubscribe")?.texts.first == "taken", "it is none anyway")
    for _ in 0..<2 {
      peer.send("/jackstay/subscribe")
      #expect(peer.first { $0.address == "/jackstay/value/tempo" }?.number == 120)
    }
    faders.send("/jackstay/subscribe", .int(Int32(peer.port)))
    #expect(host.server.status["osc_subscribers"] == 1)
    host.server.publish(["event": "peers", "count": 2])
    #expect(peer.first { $0.address == "/jackstay/event/peers" }?.values == [.int(2)])
    tempo.withLock { $0 = 121 }
    #expect(peer.first { $0.address == "/jackstay/value/tempo" && $0.number == 121 } != nil)
    peer.send("/jackstay/unsubscribe")
    #expect(peer.first { $0.texts == ["taken", "/jackstay/unsubscribe"] } != nil)
    host.server.publish(["event": "peers", "count": 3])
    peer.send("/jackstay/value/peers")
    #expect(peer.next()?.texts.first == "refused", "and no event came before")
    #expect(host.server.status["osc_subscribers"] == 0)
  }

  @Test func `More subscribers than there may be are rejected, and one that leaves makes room`() throws {
    let host = try Host { _ in .taken }
    let peer = try OSCPeer(sendingTo: host.port)
    let most = OSCSubscribers<Int, Int>.most
    for port in 0..<most { peer.send("/jackstay/subscribe", .int(Int32(40_000 + port))) }
    peer.send("/jackstay/subscribe", .int(39_000))
    #expect(peer.first { $0.texts.first == "refused" } != nil)
    peer.send("/jackstay/unsubscribe", .int(40_000))
    peer.send("/jackstay/subscribe", .int(39_000))
    #expect(peer.first { $0.texts == ["watching", "/jackstay/subscribe"] } != nil)
    #expect(host.server.status["osc_subscribers"] == .count(most))
  }

  @Test func `A machine that has not proved that it receives gets no more bytes than it sent`() throws {
    let lines = Mutex<[String]>([])
    let host = try Host(status: { ["tempo": 120, "peers": 2, "mode": "auto"] }) { line in
      lines.withLock { $0.append(line) }
      return .taken
    }
    let peer = try OSCPeer(sendingTo: host.port, from: Loopback.foreignAddress())
    for address in ["status", "subscribe", "help", "value/tempo", "nonsense", "start", "event/x", "tap"] {
      peer.send("/jackstay/\(address)")
    }
    peer.send(bundle: (0..<60).map { _ in ("/jackstay/status", []) })
    peer.send(bundle: (0..<2000).map { _ in ("/jackstay/status", []) })
    peer.send("/jackstay/subscribe", .int(Int32(peer.port)))
    #expect(eventually { lines.withLock { $0 } == ["help", "start", "tempo tap"] }, "commands are done")
    let answers = peer.rest()
    #expect(Set(answers.map(\.address)) == ["/jackstay/proof"] && Set(answers.map(\.values)).count == 1)
    #expect(peer.bytes.received <= peer.bytes.sent && answers.count < 10)
    #expect(host.server.status["osc_subscribers"] == 0)
    // A wrong number changes nothing, and has no answer; the right one, in a float, makes it a machine as any.
    guard case .int(let number)? = answers.first?.values.first else { return }
    peer.send("/jackstay/proof", .int(number ^ 1))
    peer.send("/jackstay/proof", .float(Float(number)))
    #expect(peer.first { $0.address == "/jackstay/answer" }?.texts == ["taken", "/jackstay/proof"])
    #expect(peer.ask("/jackstay/value/tempo")?.values == [.float(120)])
    #expect(peer.ask("/jackstay/subscribe")?.texts.first == "watching")
  }

  @Test func `A flood is dropped and counted, and a neighbour is still answered`() throws {
    let host = try Host { _ in .taken }
    let peer = try OSCPeer(sendingTo: host.port)
    let flood = try OSCPeer(sendingTo: host.port, from: Loopback.foreignAddress())
    for _ in 0..<40 { flood.send(bundle: (0..<60).map { _ in ("/jackstay/start", []) }) }
    #expect(peer.ask("/jackstay/value/tempo")?.number == 120)
    #expect(host.server.tally.dropped > 1000)
  }

  @Test func `The bridge neither subscribes its own port nor takes its own messages there`() throws {
    let host = try Host { _ in .taken }
    let peer = try OSCPeer(sendingTo: host.port)
    let answer = peer.ask("/jackstay/subscribe", .int(Int32(host.port)))
    #expect(answer?.texts.first == "error" && answer?.texts.last?.contains("own port") == true)
    let other = try OSCPeer(sendingTo: host.port, from: Loopback.foreignAddress(), port: host.port)
    other.send("/jackstay/subscribe")
    #expect(peer.ask("/jackstay/start")?.texts.first == "taken")
    #expect(host.server.status["osc_subscribers"] == 0 && other.rest().isEmpty)
    #expect(host.server.tally.wrong == 2)
  }

  @Test func `More than can be answered at once waits, and is answered`() throws {
    let host = try Host { _ in
      try? await Task.sleep(for: .milliseconds(1))
      return .taken
    }
    let peer = try OSCPeer(sendingTo: host.port)
    for _ in 0..<200 { peer.send("/jackstay/start") }
    #expect((0..<200).compactMap { _ in peer.next() }.count == 200)
  }

  @Test func `A port that is taken is reported in one line`() throws {
    let port = try OSCPeer.freePort()
    let address = ListenAddress.loopback(UInt16(port))
    let first = try OSCSocket(address)
    #expect(first.address == address)
    do {
      _ = try OSCSocket(address)
      Issue.record("it was taken twice")
    } catch {
      #expect(error.description.contains("127.0.0.1:\(port): ") && error.description.hasSuffix("with --osc"))
    }
  }
}
