import Foundation
import JACK
import MusicalTime
import Stage
import Synchronization
import Testing

extension JACKSuite {
  @Suite struct Opening {
    init() { quiet }

    @Test func `Without a server, opening fails and names the server that does not answer`() {
      #expect(throws: JACKError.serverNotRunning(server: "jackstay-nobody")) {
        _ = try Client.open(name: "a", server: "jackstay-nobody")
      }
    }

    @Test func `A name that JACK cannot use is refused before JACK sees it`() throws {
      #expect(throws: JACKError.invalidName("", .empty)) { _ = try Client.open(name: "") }
      #expect(throws: JACKError.invalidName("a:b", .forbiddenCharacter(":"))) {
        _ = try Client.open(name: "a:b")
      }
      #expect(throws: JACKError.invalidName("a\u{0}b", .forbiddenCharacter("\u{0}"))) {
        _ = try Client.open(name: "a\u{0}b")
      }
      #expect(throws: JACKError.invalidName("a\u{1b}[2J", .forbiddenCharacter("\u{1b}"))) {
        _ = try Client.open(name: "a\u{1b}[2J")
      }
      let long = String(repeating: "é", count: 200)
      #expect(throws: JACKError.self) { _ = try Client.open(name: long) }
      #expect(throws: JACKError.invalidServerName("", .empty)) { _ = try Client.open(name: "a", server: "") }
      #expect(throws: JACKError.invalidServerName("../a", .forbiddenCharacter("/"))) {
        _ = try Client.open(name: "a", server: "../a")
      }
      #expect(throws: JACKError.self) { _ = try Client.open(name: "a", server: long) }
    }

    @Test("The longest name allowed is accepted whole, one byte more is refused with the limit")
    func longestName() throws {
      let server = try JackServer.started()
      do {
        _ = try Client.open(name: String(repeating: "n", count: 10_000), server: server.name)
        Issue.record("an overlong name was accepted")
      } catch .invalidName(_, .tooLong(let limit)) {
        let name = String(repeating: "n", count: limit)
        let client = try Client.open(name: name, server: server.name)
        let given = client.name
        #expect(given == name)
        let wasRenamed = client.wasRenamed
        #expect(!wasRenamed)
        #expect(throws: JACKError.invalidName(name + "n", .tooLong(limit: limit))) {
          _ = try Client.open(name: name + "n", server: server.name)
        }
      }
    }

    @Test func `Odd but legal names arrive as they are`() throws {
      let server = try JackServer.started()
      for name in ["a b", "é–木", "'quoted'", "%s%n", "-", "a/b"] {
        let client = try Client.open(name: name, server: server.name)
        let given = client.name
        #expect(given == name)
      }
    }

    @Test func `A client knows the server's sample rate and buffer size`() throws {
      let server = try JackServer.started()
      let client = try Client.open(name: "a", server: server.name)
      let (rate, size) = (client.sampleRate, client.bufferSize)
      #expect(rate == SampleRate(hertz: 48_000))
      #expect(size == 256)
    }

    @Test("JACK makes a taken name unique and the client shows it, unless the exact name is wanted")
    func takenName() throws {
      let server = try JackServer.started()
      let first = try Client.open(name: "same", server: server.name)
      let second = try Client.open(name: "same", server: server.name)
      let (firstName, secondName, wasRenamed) = (first.name, second.name, second.wasRenamed)
      #expect(firstName == "same")
      #expect(wasRenamed)
      #expect(secondName != "same")
      #expect(secondName.hasPrefix("same"))
      #expect(throws: JACKError.nameTaken("same")) {
        _ = try Client.open(name: "same", server: server.name, options: [.doNotStartServer, .useExactName])
      }
    }

    @Test func `Fifty clients open, run and close one after the other`() async throws {
      let server = try JackServer.started()
      for round in 1...50 {
        let handler = WholeCycle()
        let client = try Client.open(name: "round", server: server.name).activate(handler)
        #expect(client.name == "round", "round \(round)")
        if round % 2 == 0 { _ = try client.takeTimebase(conditionally: false) }
        #expect(try await eventually { handler.cycles.load(ordering: .relaxed) > 1 }, "round \(round)")
        if round % 3 != 0 { client.close() }
      }
    }

    @Test func `A handler is kept until its client is closed, and released then`() async throws {
      final class Watched: RealtimeHandler {
        let isReleased: Counter
        init(_ isReleased: Counter) { self.isReleased = isReleased }
        deinit { isReleased.value.wrappingAdd(1, ordering: .relaxed) }
      }
      let server = try JackServer.started()
      let isReleased = Counter()
      let client = try Client.open(name: "a", server: server.name).activate(Watched(isReleased))
      #expect(isReleased.count == 0)
      client.close()
      #expect(isReleased.count == 1)
    }

    @Test func `The library's own messages go where they are sent, or nowhere`() throws {
      let errors = Counter()
      JACKLog.route { level, _ in if level == .error { errors.value.wrappingAdd(1, ordering: .relaxed) } }
      defer { JACKLog.silence() }
      // A server that listens and does not answer: libjack says that it cannot be reached.
      let server = JackServer()
      let mute = try #require(NotJACK(inPlaceOf: server, .goodbye))
      defer { mute.end() }
      #expect(throws: JACKError.self) { _ = try Client.open(name: "a", server: server.name) }
      let routed = errors.count
      #expect(routed > 0)
      JACKLog.silence()
      #expect(throws: JACKError.self) { _ = try Client.open(name: "a", server: server.name) }
      #expect(errors.count == routed)
    }

    @Test func `The library reports its version`() {
      #expect(JACKLibrary.version.first?.isNumber == true)
    }

    @Test func `Every error has the fault, the expectation and the remedy`() {
      let errors: [JACKError] = [
        .serverNotRunning(server: "default"), .serverFull(server: "a"),
        .serverUnreachable(server: "a", .starting(process: 7)),
        .serverUnreachable(server: "a", .elsewhere(process: 7)),
        .serverUnreachable(server: "a", .anothers(user: 7)), .serverUnreachable(server: "a", .pipeWire),
        .serverUnreachable(server: "a", .jackd2),
        .serverRefused([.failure, .initFailure]), .protocolMismatch,
        .nameTaken("a"), .invalidName("", .empty), .invalidName("a\u{7}:", .forbiddenCharacter(":")),
        .invalidServerName("a", .tooLong(limit: 64)), .cannotActivate(code: -1),
        .serverGone, .clientClosed,
        .invalidProperty(key: ""), .callFailed(function: "jack_f", code: -1),
      ]
      for error in errors {
        let text = error.description
        #expect(text.hasSuffix("."), "\(error)")
        #expect(text.split(separator: ". ").count >= 2, "\(error)")
        #expect(text.allSatisfy { !$0.isNewline && $0 != "\u{7}" }, "\(error)")
      }
    }
  }
}

/// A number that grows on any thread.
private final class Counter: Sendable {
  let value = Atomic<Int>(0)
  var count: Int { value.load(ordering: .relaxed) }
}
