import Control
import Dispatch
import Glibc
import Host
import JSON
import OSCCodec
import Synchronization
import Words

/// Carries out the requests of OSC messages, answers them, and sends events to subscribers.
///
/// One thread reads, with calls that do not block. A receiver need not read: UDP waits for no receiver.
///
/// Commands are done for any sender. A machine that has not proved that it receives gets one datagram at most for
/// each of its own, and none that is larger: see ``OSCProofs``.
///
/// Thread-safe. Realtime-safe: no.
public final class OSCServer: Surface {
  /// How many messages may wait for their answers until nothing more is read; the kernel keeps later ones.
  private static let mostPending = 64
  /// How many messages a second are taken of one machine, and of all those together that have proved nothing.
  private static let rate = 256
  /// How many wrong numbers a second are compared: far too few to guess one.
  private static let proofRate = 10
  /// How often is looked whether a value has changed.
  private static let interval = Duration.milliseconds(100)

  private let socket: OSCSocket
  private let words: [CommandWord]
  private let thread: PollThread
  private let state = Mutex(State())
  private let questions: AsyncStream<Question>.Continuation
  private let asked: AsyncStream<Question>

  fileprivate struct State {
    var subscribers = OSCSubscribers<SocketAddress, [UInt8]>()
    var proofs = OSCProofs()
    var messages = OSCRate<Source>(limit: OSCServer.rate)
    var guesses = OSCRate<Bool>(limit: OSCServer.proofRate)
    var tally = Tally()
    /// The values of the status as subscribers last got them; `nil` while there are none.
    var told: JSONObject?
    var pending = 0
  }

  private struct Question: Sendable {
    let address: String
    let request: Result<OSCRequest, OSCFault>
    let sender: SocketAddress
    /// Whether the sender has proved that it receives datagrams.
    let isAnswered: Bool
  }

  /// The source for which messages within a second are counted.
  fileprivate enum Source: Hashable, Sendable {
    case thisMachine
    case machine([UInt8])
    case unproved
  }

  /// Counts since the start of the bridge.
  public struct Tally: Sendable, Equatable {
    /// Datagrams that were no OSC, or of types that are not taken.
    public var malformed = 0
    /// Messages that were not understood, or for another program.
    public var wrong = 0
    /// Messages that were more than are taken in a second.
    public var dropped = 0
  }

  /// Takes the datagrams of a socket.
  ///
  /// - Parameters:
  ///   - socket: The socket.
  ///   - words: The words of the commands, each of which has an address.
  /// - Throws: ``OSCError`` when the system has nothing to wake a thread by.
  public init(_ socket: OSCSocket, words: [CommandWord]) throws(OSCError) {
    guard let thread = PollThread() else {
      throw OSCError("OSC cannot be received", errno: errno, "end other programs, and try again")
    }
    self.thread = thread
    self.socket = socket
    self.words = words
    (asked, questions) = AsyncStream.makeStream()
    guard thread.begin({ [self] in serve() }) else {
      throw OSCError("OSC cannot be received", errno: EAGAIN, "end other programs, and try again")
    }
  }

  /// The counts so far.
  public var tally: Tally { state.withLock { $0.tally } }

  /// Its state, as members of the status.
  public var status: JSONObject {
    let (tally, subscribers) = state.withLock { ($0.tally, $0.subscribers.current(at: .now).count) }
    return [
      "osc": .string(socket.address.description), "osc_malformed": .count(tally.malformed),
      "osc_invalid": .count(tally.wrong), "osc_dropped": .count(tally.dropped),
      "osc_subscribers": .count(subscribers),
    ]
  }

  /// Has `answer` find the answer to each request, one after the other, and to `status` several times a
  /// second while there are subscribers, until ``finish(within:)``.
  public func run(_ answer: @escaping @Sendable (String) async -> ControlAnswer) async {
    await withTaskGroup { group in
      group.addTask { [self] in await respond(by: answer) }
      group.addTask { [self] in await follow(by: answer) }
      await group.next()
      group.cancelAll()
    }
  }

  private func respond(by answer: (String) async -> ControlAnswer) async {
    for await question in asked {
      await respond(to: question, answer)
      let isNext = state.withLock { state in
        state.pending -= 1
        return state.pending == Self.mostPending - 1
      }
      if isNext { thread.call() }
    }
  }

  /// Sends an event to all subscribers; where there are none, the event is not even put into words.
  public func publish(_ event: @autoclosure () -> JSONObject) {
    let subscribers = state.withLock { $0.subscribers.current(at: .now) }
    guard !subscribers.isEmpty, let message = OSCMessage(event: event()) else { return }
    let bytes = message.bytes
    for address in subscribers { socket.send(bytes, to: address) }
  }

  /// Sends subscribers the values of the status that have changed, until the task is cancelled.
  private func follow(by answer: (String) async -> ControlAnswer) async {
    while (try? await Task.sleep(for: Self.interval)) != nil {
      let subscribers = state.withLock { state in
        let subscribers = state.subscribers.current(at: .now)
        if subscribers.isEmpty { state.told = nil }
        return subscribers
      }
      guard !subscribers.isEmpty, case .status(let current) = await answer("status") else { continue }
      let told = state.withLock { state in
        defer { state.told = current }
        return state.told
      }
      guard let told else { continue }
      let bundles = OSCPacket.bundles(of: OSCMessage.changes(from: told, to: current))
      for address in subscribers { for bundle in bundles { socket.send(bundle, to: address) } }
    }
  }

  /// Takes nothing more, and waits until the thread has ended, but no longer than `timeout`.
  public func finish(within timeout: DispatchTimeInterval) {
    questions.finish()
    thread.end(within: timeout)
  }
}

// MARK: Answers

extension OSCServer {
  private func respond(to question: Question, _ answer: (String) async -> ControlAnswer) async {
    let answered: ControlAnswer
    switch question.request {
    case .failure(.wrong(let reason)): answered = .error(reason)
    case .failure, .success(.nothing): return
    case .success(.prove): answered = .taken
    case .success(.command(let line)): answered = await answer(line)
    case .success(.question(let asked)):
      guard question.isAnswered, case .status(let status) = await answer("status") else { return }
      guard let value = asked.answer(in: status) else {
        answered = .refused("there is none now; wait until the bridge has a JACK server, and ask again")
        break
      }
      return socket.send(OSCMessage(question.address, value).bytes, to: question.sender)
    case .success(.status):
      guard question.isAnswered else { return }
      answered = await answer("status")
    case .success(.subscribe(let port)):
      guard question.isAnswered else { return }
      let subscriber = port.map(question.sender.at) ?? question.sender
      answered = subscribe(subscriber)
      if case .watching = answered, case .status(let status) = await answer("status") {
        // Changes from now on are sent, also those before the next look at the status.
        state.withLock { $0.told = $0.told ?? status }
        tell(status, to: subscriber)
      }
    case .success(.unsubscribe(let port)):
      state.withLock { $0.subscribers.unsubscribed(port.map(question.sender.at) ?? question.sender) }
      answered = .taken
    }
    if case .error = answered { state.withLock { $0.tally.wrong += 1 } }
    guard question.isAnswered else { return }
    if case .status(let status) = answered { return tell(status, to: question.sender) }
    socket.send(OSCMessage(answer: answered, to: question.address).bytes, to: question.sender)
  }

  private func subscribe(_ address: SocketAddress) -> ControlAnswer {
    guard !socket.isOwn(address) else {
      return .error("that is the bridge's own port; expected the port at which events are to arrive")
    }
    let machine = address.isLoopback ? nil : Array(address.addressBytes)
    guard state.withLock({ $0.subscribers.subscribed(address, of: machine, at: .now) }) else {
      return .refused(
        "too many have subscribed, of this machine or in all; have one unsubscribe, or wait until its time is over"
      )
    }
    return .watching
  }

  private func tell(_ status: JSONObject, to address: SocketAddress) {
    for bundle in OSCPacket.bundles(of: OSCMessage.values(of: status)) { socket.send(bundle, to: address) }
  }
}

// MARK: The thread

extension OSCServer {
  private func serve() {
    var buffer = [UInt8](repeating: 0, count: OSCSocket.longest)
    while true {
      let isFull = state.withLock { $0.pending >= Self.mostPending }
      var wishes = [pollfd(fd: socket.descriptor, events: isFull ? 0 : Int16(POLLIN), revents: 0)]
      guard thread.wait(for: &wishes) else { break }
      guard !isFull, wishes[0].revents != 0, let (bytes, sender) = socket.receive(into: &buffer) else {
        continue
      }
      take(bytes, from: sender)
    }
  }

  private func take(_ bytes: [UInt8], from sender: SocketAddress) {
    let messages: [OSCMessage]
    do throws(OSCFault) {
      messages = try OSCPacket.messages(in: bytes)
    } catch {
      return state.withLock { $0.tally.malformed += 1 }
    }
    // A datagram that the bridge sends to itself, at any program's request, is no request.
    guard !socket.isOwn(sender) else { return state.withLock { $0.tally.wrong += messages.count } }
    guard state.withLock({ $0.takes(messages.count, from: sender) }) else { return }
    var proofAddress: SocketAddress?
    for message in messages {
      let request = Result { () throws(OSCFault) in try OSCRequest(message, words) }
      var isAnswered = state.withLock { $0.proofs.isProved(sender) }
      switch request {
      case .failure(.foreign), .failure(.malformed):
        state.withLock { $0.tally.wrong += 1 }
        continue
      case .success(.nothing): continue
      case .success(.prove(let number)):
        guard state.withLock({ $0.isProof(number, from: sender) }) else { continue }
        isAnswered = true
      case .success(.subscribe(let port)):
        if !isAnswered { proofAddress = port.map(sender.at) ?? sender }
      case .success, .failure(.wrong):
        if !isAnswered { proofAddress = proofAddress ?? sender }
      }
      state.withLock { $0.pending += 1 }
      questions.yield(
        Question(address: message.address, request: request, sender: sender, isAnswered: isAnswered))
    }
    if let proofAddress { askForProof(proofAddress, within: bytes.count) }
  }

  /// Asks a machine to prove that it receives, in no more bytes than it has sent.
  private func askForProof(_ address: SocketAddress, within limit: Int) {
    guard !socket.isOwn(address) else { return }
    let number = state.withLock { $0.proofs.number(for: address) }
    let bytes = OSCMessage(OSCRequest.proofAddress, .int32(number)).bytes
    if bytes.count <= limit { socket.send(bytes, to: address) }
  }
}

extension OSCServer.State {
  /// Whether so many messages more are taken now; those that are not are counted.
  fileprivate mutating func takes(_ count: Int, from sender: SocketAddress) -> Bool {
    let source: OSCServer.Source =
      if sender.isLoopback { .thisMachine } else if proofs.isProved(sender) {
        .machine(Array(sender.addressBytes))
      } else { .unproved }
    guard messages.takes(count, from: source, at: .now) else {
      tally.dropped += count
      return false
    }
    return true
  }

  /// Whether a sender has sent back its number. Of wrong ones few are looked at in a second.
  fileprivate mutating func isProof(_ number: Int32, from sender: SocketAddress) -> Bool {
    guard proofs.isProved(sender) || guesses.takes(1, from: true, at: .now) else {
      tally.dropped += 1
      return false
    }
    guard proofs.proved(sender, by: number) else {
      tally.wrong += 1
      return false
    }
    return true
  }
}
