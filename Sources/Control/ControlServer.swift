import Dispatch
import Glibc
import Host
import JSON
import Synchronization
import Words

/// Reports events to programs that connect with a bridge's socket, and carries out their requests.
///
/// No connection waits for another: one thread reads and writes for all, with calls that do not block. A
/// client that asks for more than is answered yet is read from later. A client that stops reading is
/// disconnected.
///
/// Thread-safe. Realtime-safe: no.
public final class ControlServer: Surface {
  /// How many may be connected.
  static let mostConnections = 32
  /// How many questions of one may wait for their answers until no more of it is read.
  private static let mostPending = 16
  /// How many bytes that one client has not read yet are kept, beyond those that the kernel keeps.
  static let mostUnread = 256 * 1024

  /// How often the socket's file is looked for.
  private static let interval = Duration.seconds(2)

  /// The bridge's name here.
  public var name: String { socket.name }

  private let socket: ControlSocket
  private let greeting: [UInt8]
  private let thread: PollThread
  private let state = Mutex(State())
  private let questions: AsyncStream<Question>.Continuation
  private let asked: AsyncStream<Question>

  private struct State {
    var connections: [Int: Connection] = [:]
    var count = 0
    var tally = Tally()
  }

  /// A connected client.
  private struct Connection {
    let descriptor: Int32
    var lines = LineReader(longest: ControlRequest.longest)
    var unread: [UInt8] = []
    var pending = 0
    var isWatching = false
    /// Whether nothing more is to be read.
    var hasEnded = false
    /// Whether to disconnect the client, although there may be unread answers.
    var isDropped = false

    var isDone: Bool { isDropped || (hasEnded && pending == 0 && unread.isEmpty && !isWatching) }
  }

  private struct Question: Sendable {
    let connection: Int
    let request: Result<ControlRequest, ControlRequest.Fault>
  }

  /// Counts since the start of the bridge.
  public struct Tally: Sendable, Equatable {
    /// Lines that were not understood.
    public var wrongLines = 0
    /// Connections that were closed because the client did not read.
    public var slowReaders = 0
    /// Connections of other users, which were not taken in.
    public var strangers = 0
  }

  /// Listens at `socket`, for a program of the version `program`.
  ///
  /// Throws when the system has nothing to wake a thread by.
  public init(_ socket: ControlSocket, program: String) throws(ControlError) {
    guard let thread = PollThread() else {
      throw ControlError(
        "the control socket cannot be created", errno: errno, "end other programs, and try again")
    }
    self.thread = thread
    self.socket = socket
    greeting = Array((ControlProtocol.greeting(program: program, name: socket.name).line + "\n").utf8)
    (asked, questions) = AsyncStream.makeStream()
    guard thread.begin({ [self] in serve() }) else { throw .noThread("the control socket cannot be created") }
  }

  /// The counts so far.
  public var tally: Tally { state.withLock { $0.tally } }

  /// Only the user who runs the bridge can connect.
  public var isOwners: Bool { true }

  /// Has `answer` find the answer to each question, one after the other, until ``finish(within:)``.
  public func run(_ answer: @escaping @Sendable (String) async -> ControlAnswer) async {
    for await question in asked {
      switch question.request {
      case .success(let request):
        send(await request.answer(by: answer), to: question.connection, id: request.id)
      case .failure(let fault): send(.error(fault.description), to: question.connection, id: fault.id)
      }
    }
  }

  /// Sends an event to all clients that watch; where none does, the event is not even put into words.
  public func publish(_ event: @autoclosure () -> JSONObject) {
    guard state.withLock({ $0.connections.values.contains(where: \.isWatching) }) else { return }
    let line = Array((event().line + "\n").utf8)
    state.withLock { state in
      for id in state.connections.keys where state.connections[id]?.isWatching == true {
        Self.append(line, to: id, &state)
      }
    }
    thread.call()
  }

  /// Removes the socket, and ends all connections when their answers are written, but within `timeout`.
  public func finish(within timeout: DispatchTimeInterval) {
    socket.remove()
    questions.finish()
    thread.end(within: timeout)
  }

  private func send(_ answer: ControlAnswer, to id: Int, id question: JSONValue?) {
    let line = Array((answer.object(id: question).line + "\n").utf8)
    state.withLock { state in
      if case .error = answer { state.tally.wrongLines += 1 }
      if case .watching = answer { state.connections[id]?.isWatching = true }
      state.connections[id]?.pending -= 1
      Self.append(line, to: id, &state)
    }
    thread.call()
  }

  private static func append(_ line: [UInt8], to id: Int, _ state: inout State) {
    guard let connection = state.connections[id], !connection.isDropped else { return }
    if connection.unread.count + line.count > mostUnread {
      state.connections[id]?.isDropped = true
      state.tally.slowReaders += 1
    } else {
      state.connections[id]?.unread += line
    }
  }
}

// MARK: The thread

extension ControlServer {
  private func serve() {
    var looked = ContinuousClock.now
    while true {
      let ids: [Int]
      var wishes = [pollfd(fd: socket.descriptor, events: Int16(POLLIN), revents: 0)]
      (ids, wishes) = state.withLock { state in
        let ids = Array(state.connections.keys)
        return (ids, wishes + ids.compactMap { state.connections[$0].map(Self.wish) })
      }
      guard thread.wait(for: &wishes, atMost: Self.interval) else { break }
      if wishes[0].revents != 0 { takeIn(at: wishes[0].fd) }
      for (id, wish) in zip(ids, wishes.dropFirst()) { attend(to: id, wish.revents) }
      guard .now - looked >= Self.interval else { continue }
      looked = .now
      socket.renew(takeIn)
    }
    end()
  }

  private static func wish(of connection: Connection) -> pollfd {
    var events: Int32 = 0
    if !connection.hasEnded, connection.pending < mostPending { events |= POLLIN }
    if !connection.unread.isEmpty { events |= POLLOUT }
    return pollfd(fd: connection.descriptor, events: Int16(events), revents: 0)
  }

  /// Accepts clients that want to connect.
  private func takeIn(at listener: Int32) {
    while true {
      let descriptor = UnixSocket.accept(listener)
      guard descriptor >= 0 else {
        // No connection is left to accept; or there is no descriptor for the next, which may be so for a
        // while.
        if errno != EAGAIN, errno != EINTR, errno != ECONNABORTED { usleep(100_000) }
        return
      }
      guard UnixSocket.user(of: descriptor) == getuid() else {
        state.withLock { $0.tally.strangers += 1 }
        close(descriptor)
        continue
      }
      let isTakenIn = state.withLock { state in
        guard state.connections.count < Self.mostConnections else { return false }
        state.count += 1
        var connection = Connection(descriptor: descriptor)
        connection.unread = greeting
        state.connections[state.count] = connection
        return true
      }
      guard !isTakenIn else { continue }
      let answer = ControlAnswer.refused(
        "\(Self.mostConnections) programs are connected already; end one of them")
      _ = UnixSocket.send(descriptor, greeting + Array((answer.object(id: nil).line + "\n").utf8))
      close(descriptor)
    }
  }

  private func attend(to id: Int, _ events: Int16) {
    let lines = state.withLock { state -> [LineReader.Line] in
      guard var connection = state.connections[id] else { return [] }
      var lines: [LineReader.Line] = []
      if Int32(events) & (POLLERR | POLLNVAL) != 0 { connection.isDropped = true }
      if Int32(events) & (POLLIN | POLLHUP) != 0, !connection.hasEnded { lines = Self.read(&connection) }
      if Int32(events) & POLLHUP != 0, connection.hasEnded { connection.isDropped = true }
      if !connection.unread.isEmpty, !connection.isDropped { Self.write(&connection) }
      state.connections[id] = connection
      return lines
    }
    for line in lines { ask(line, from: id) }
    state.withLock { state in
      guard let connection = state.connections[id], connection.isDone else { return }
      state.connections[id] = nil
      close(connection.descriptor)
    }
  }

  private func ask(_ line: LineReader.Line, from id: Int) {
    let request: Result<ControlRequest, ControlRequest.Fault>
    do throws(ControlRequest.Fault) {
      guard let read = try ControlRequest(line) else { return }
      request = .success(read)
    } catch {
      request = .failure(error)
    }
    state.withLock { $0.connections[id]?.pending += 1 }
    questions.yield(Question(connection: id, request: request))
  }

  private static func read(_ connection: inout Connection) -> [LineReader.Line] {
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = UnixSocket.receive(connection.descriptor, into: &bytes)
    if count > 0 { return connection.lines.take(bytes[..<count]) }
    if count < 0, errno == EAGAIN || errno == EINTR { return [] }
    connection.hasEnded = true
    // The last line need not be ended.
    return [connection.lines.end()]
  }

  private static func write(_ connection: inout Connection) {
    let count = UnixSocket.send(connection.descriptor, connection.unread)
    if count > 0 { connection.unread.removeFirst(count) }
    if count < 0, errno != EAGAIN, errno != EINTR { connection.isDropped = true }
  }

  /// Writes what there is room for, and ends all connections.
  private func end() {
    state.withLock { state in
      for var connection in state.connections.values {
        if !connection.unread.isEmpty { Self.write(&connection) }
        close(connection.descriptor)
      }
      state.connections = [:]
    }
  }
}
