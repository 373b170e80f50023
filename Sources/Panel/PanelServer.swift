import CMicroHTTPD
import Control
import Dispatch
import Glibc
import Host
import JSON
import Settings
import Synchronization

/// Shows a panel to browsers, tells them what happens, and has done what they ask: the same objects that go over the
/// control socket.
///
/// The page is read at `/`; `/updates` is a stream of server-sent events, each of them a status, or what has happened;
/// a command is posted to `/command`. Nobody waits for anybody: the library's one thread reads and writes for all, what
/// is asked waits apart until it is answered, and who does not read what is written is let go.
///
/// Thread-safe. Realtime-safe: no.
public final class PanelServer: Sendable {
  /// How many may be connected.
  static let mostConnections = 32
  /// How many may have the panel open.
  static let mostViewers = 16
  /// How much of what one has not read yet is kept, in bytes, beyond what the kernel keeps.
  static let mostUnread = 64 * 1024
  /// How much memory one may have for what it asks, in bytes: header, address and a piece of the body.
  static let memory = 16 * 1024
  /// After how many seconds one is let go that neither reads nor writes.
  static let patience: UInt32 = 10
  /// How often all are told how things are, if nothing happens: what moves in between is known from tempo and time.
  static let interval = Duration.milliseconds(250)
  /// What is told once for all that happens within it.
  static let pause = Duration.milliseconds(40)

  /// The links by which people get to it, the likeliest first.
  public let links: [String]

  private let library: LibMicroHTTPD
  private let rules: PanelRules
  /// Whether users of this machine are told apart.
  private let checksUser: Bool
  private let state = Mutex(State())
  private let counts = Mutex(Counts())
  private let daemon = Mutex<LibMicroHTTPD.Daemon?>(nil)
  private let questions: AsyncStream<Question>.Continuation
  private let asked: AsyncStream<Question>
  private let moments: AsyncStream<Void>.Continuation
  private let awaited: AsyncStream<Void>

  private struct State {
    var exchanges: [Int: Exchange] = [:]
    var viewers: [Int: Viewer] = [:]
    var count = 0
    var isClosing = false
  }

  /// A command on its way.
  private struct Exchange {
    enum Stage {
      case reading([UInt8])
      /// More came than is read; so much.
      case tooLong(Int)
      case asking
      case answered(UInt32, [UInt8])
      case abandoned
    }

    let connection: LibMicroHTTPD.Connection
    var stage = Stage.reading([])
  }

  /// Somebody who has the panel open.
  private struct Viewer {
    let connection: LibMicroHTTPD.Connection
    let descriptor: Int32
    var unread: [UInt8]
    var isSuspended = false
    var isDropped = false
  }

  /// Apart from the state: the library calls for these with a lock of its own.
  private struct Counts {
    var tally = PanelTally()
    /// Requests that were answered, however.
    var answered = 0
    /// Who is connected, and whether one has asked for something that was understood as a request.
    var connections: [LibMicroHTTPD.Connection: Bool] = [:]
  }

  private struct Question: Sendable {
    let exchange: Int
    let request: ControlRequest
  }

  /// Shows a panel at `address`. Where others can connect a link needs a token.
  public convenience init(at address: ListenAddress) throws(PanelError) {
    let isOpen = !address.isLoopback || !LocalUser.isTold
    let token = isOpen ? PanelToken() : nil
    let listener = try ListeningSocket(at: address)
    try self.init(
      listener: listener.release(), checksUser: !isOpen,
      PanelRules(token: token, names: PanelLinks.machineNames, longestBody: ControlRequest.longest),
      links: PanelLinks.all(for: address, token: token))
  }

  /// A server for those alone who are handed over by ``take(_:)``.
  package convenience init(token: PanelToken?, names: Set<String>) throws(PanelError) {
    try self.init(
      listener: -1, checksUser: false,
      PanelRules(token: token, names: names, longestBody: ControlRequest.longest),
      links: [])
  }

  private init(
    listener descriptor: Int32, checksUser: Bool, _ rules: PanelRules, links: [String]
  ) throws(PanelError) {
    guard let library = LibMicroHTTPD() else {
      if descriptor >= 0 { close(descriptor) }
      throw PanelError(
        "there is no panel: the library libmicrohttpd.so.12 is missing; install it, on Debian with: apt-get install "
          + "libmicrohttpd12")
    }
    self.library = library
    self.rules = rules
    self.links = links
    self.checksUser = checksUser
    (asked, questions) = AsyncStream.makeStream()
    (awaited, moments) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    let started = library.start(
      httpd_settings(
        listener: descriptor, most_connections: UInt32(2 * Self.mostConnections), memory: Self.memory,
        timeout: Self.patience, accept: acceptPolicy, access: accessHandler, completed: completion,
        notify: notification, closure: Unmanaged.passUnretained(self).toOpaque()))
    guard let started else {
      if descriptor >= 0 { close(descriptor) }
      throw PanelError("there is no panel", errno: errno, "end other programs, and try again")
    }
    daemon.withLock { $0 = started }
  }

  deinit { stop() }

  /// What has been counted so far.
  public var tally: PanelTally {
    var tally = counts.withLock { $0.tally }
    tally.viewers = state.withLock { $0.viewers.count }
    return tally
  }

  /// How many requests were answered, also where nobody was left to read it.
  package var answered: Int { counts.withLock { $0.answered } }

  /// Has `answer` find the answer to what is asked, one question after the other, and to `status` from time to time,
  /// until ``finish(within:)``.
  ///
  /// - Parameter answer: Is given what is to be done, in the words of standard input.
  public func run(_ answer: @escaping @Sendable (String) async -> ControlAnswer) async {
    await withTaskGroup { group in
      group.addTask { [self] in
        for await question in asked { send(await answer(question.request.command), to: question) }
      }
      group.addTask { [self] in
        for await _ in awaited where hasViewers {
          show(await answer("status").object(id: nil), isStatus: true)
          try? await Task.sleep(for: Self.pause)
        }
      }
      group.addTask { [self] in
        while (try? await Task.sleep(for: Self.interval)) != nil {
          if hasViewers { moments.yield() }
        }
      }
      await group.next()
      group.cancelAll()
    }
  }

  /// Tells all who have the panel open what has happened; where nobody has, it is not even put into words.
  public func publish(_ event: @autoclosure () -> JSONObject) {
    guard hasViewers else { return }
    show(event(), isStatus: false)
    moments.yield()
  }

  /// Ends all connections, but waits no longer than `timeout` for that.
  public func finish(within timeout: DispatchTimeInterval) {
    questions.finish()
    moments.finish()
    let hasEnded = DispatchSemaphore(value: 0)
    DetachedThread.start { [self] in
      stop()
      hasEnded.signal()
    }
    _ = hasEnded.wait(timeout: .now() + timeout)
  }

  /// Takes in somebody who is connected with the other end of a socket.
  package func take(_ descriptor: Int32) {
    let daemon = daemon.withLock { $0 }
    if let daemon { _ = library.add(descriptor, to: daemon) } else { close(descriptor) }
  }

  private func stop() {
    guard let daemon = daemon.withLock({ daemon in daemon.take() }) else { return }
    // The library stops nothing that waits.
    state.withLock { state in
      state.isClosing = true
      for (id, exchange) in state.exchanges {
        guard case .asking = exchange.stage else { continue }
        state.exchanges[id]?.stage = .abandoned
        library.resume(exchange.connection)
      }
      for (id, viewer) in state.viewers where viewer.isSuspended {
        state.viewers[id]?.isSuspended = false
        library.resume(viewer.connection)
      }
    }
    library.stop(daemon)
  }
}

// MARK: Who has the panel open

extension PanelServer {
  private var hasViewers: Bool { state.withLock { !$0.viewers.isEmpty } }

  private func show(_ object: JSONObject, isStatus: Bool) {
    let message = Array("data: \(object.line)\n\n".utf8)
    var dropped = 0
    state.withLock { state in
      for (id, viewer) in state.viewers where !viewer.isDropped {
        // Who has not read the last status yet needs none that is about to be old, too.
        if isStatus, !viewer.unread.isEmpty { continue }
        guard viewer.unread.count + message.count <= Self.mostUnread else {
          state.viewers[id]?.isDropped = true
          shutdown(viewer.descriptor, Int32(SHUT_RDWR))
          dropped += 1
          continue
        }
        state.viewers[id]?.unread += message
        guard viewer.isSuspended else { continue }
        state.viewers[id]?.isSuspended = false
        library.resume(viewer.connection)
      }
    }
    if dropped > 0 { counts.withLock { $0.tally.slowReaders += dropped } }
  }

  /// Answers who wants to be told what happens; `nil` when its connection is to end.
  private func beginUpdates(_ connection: LibMicroHTTPD.Connection) -> Int? {
    let descriptor = library.descriptor(of: connection)
    let id: Int? = state.withLock { state in
      guard state.viewers.count < Self.mostViewers, !state.isClosing else { return nil }
      state.count += 1
      // How long a browser waits until it connects again, in milliseconds.
      state.viewers[state.count] = Viewer(
        connection: connection, descriptor: descriptor, unread: Array("retry: 1000\n\n".utf8))
      return state.count
    }
    guard let id else { return refuse(.full, connection) ? 0 : nil }
    let headers = PanelPage.headers + [("Content-Type", "text/event-stream"), ("X-Accel-Buffering", "no")]
    let source = Unmanaged.passRetained(UpdateSource(server: self, viewer: id)).toOpaque()
    let isTaken = library.stream(
      to: connection, headers, source,
      read: { source, _, buffer, room in
        guard let source, let buffer else { return -1 }
        let updates = Unmanaged<UpdateSource>.fromOpaque(source).takeUnretainedValue()
        return updates.server.read(
          updates.viewer, into: UnsafeMutableRawBufferPointer(start: buffer, count: room))
      },
      release: { source in
        if let source { Unmanaged<UpdateSource>.fromOpaque(source).release() }
      })
    guard isTaken else {
      state.withLock { $0.viewers[id] = nil }
      return nil
    }
    moments.yield()
    return id
  }

  /// Where the library gets what one viewer is told.
  private final class UpdateSource: Sendable {
    /// It outlives the library's daemon, which calls this.
    unowned let server: PanelServer
    let viewer: Int

    init(server: PanelServer, viewer: Int) {
      self.server = server
      self.viewer = viewer
    }
  }

  /// Gives what one viewer has not been told yet, and returns how much that is: 0 for nothing so far, -1 at the end,
  /// -2 for one that is let go.
  private func read(_ id: Int, into buffer: UnsafeMutableRawBufferPointer) -> Int {
    state.withLock { state in
      guard let viewer = state.viewers[id] else { return -1 }
      guard !viewer.isDropped else { return -2 }
      guard !viewer.unread.isEmpty else {
        if state.isClosing { return -1 }
        library.suspend(viewer.connection)
        state.viewers[id]?.isSuspended = true
        return 0
      }
      let count = min(buffer.count, viewer.unread.count)
      buffer.copyBytes(from: viewer.unread[..<count])
      state.viewers[id]?.unread.removeFirst(count)
      return count
    }
  }
}

// MARK: Requests

extension PanelServer {
  /// The first look at a request, by what comes before its body; `nil` when its connection is to end.
  ///
  /// - Returns: What the request is called from now on.
  fileprivate func begin(_ connection: LibMicroHTTPD.Connection, _ request: PanelRequest) -> Int? {
    counts.withLock { $0.connections[connection] = true }
    switch rules.judge(request) {
    case .refused(let refusal): return refuse(refusal, connection) ? 0 : nil
    case .page:
      let page = PanelPage.content(nonce: PanelToken().text)
      return respond(to: connection, 200, page.headers, page.bytes) ? 0 : nil
    case .updates: return beginUpdates(connection)
    case .command:
      return state.withLock { state in
        guard !state.isClosing else { return nil }
        state.count += 1
        state.exchanges[state.count] = Exchange(connection: connection)
        return state.count
      }
    }
  }

  /// Takes a piece of a body; false when its connection is to end.
  fileprivate func take(_ piece: UnsafeRawBufferPointer, of id: Int) -> Bool {
    state.withLock { state in
      switch state.exchanges[id]?.stage {
      case .reading(let bytes) where bytes.count + piece.count <= rules.longestBody:
        state.exchanges[id]?.stage = .reading(bytes + piece)
      case .reading(let bytes): state.exchanges[id]?.stage = .tooLong(bytes.count + piece.count)
      // To the end, so that the answer is read; but not for ever.
      case .tooLong(let count) where count < 16 * rules.longestBody:
        state.exchanges[id]?.stage = .tooLong(count + piece.count)
      default: return false
      }
      return true
    }
  }

  /// Goes on with a request whose body is there, or whose answer is; false when its connection is to end.
  fileprivate func goOn(_ id: Int, _ connection: LibMicroHTTPD.Connection) -> Bool {
    let stage = state.withLock { $0.exchanges[id]?.stage }
    switch stage {
    case .reading(let bytes): return ask(bytes, id, connection)
    case .tooLong: return refuse(.tooLong, connection)
    case .answered(let status, let bytes):
      return respond(
        to: connection, status, PanelPage.headers + [("Content-Type", "application/json")], bytes)
    case .asking, .abandoned, nil: return false
    }
  }

  private func ask(_ bytes: [UInt8], _ id: Int, _ connection: LibMicroHTTPD.Connection) -> Bool {
    let request: ControlRequest
    do throws(ControlRequest.Fault) {
      request = try ControlRequest(bytes)
    } catch {
      counts.withLock { $0.tally.wrongRequests += 1 }
      let answer = ControlAnswer.error(error.description).object(id: error.id)
      return respond(
        to: connection, 400, PanelPage.headers + [("Content-Type", "application/json")],
        Array(answer.line.utf8))
    }
    let isOpen = state.withLock { state in
      guard !state.isClosing else { return false }
      state.exchanges[id]?.stage = .asking
      library.suspend(connection)
      return true
    }
    if isOpen { questions.yield(Question(exchange: id, request: request)) }
    return isOpen
  }

  private func send(_ answer: ControlAnswer, to question: Question) {
    var isWrong = false
    if case .error = answer { isWrong = true }
    let bytes = Array(answer.object(id: question.request.id).line.utf8)
    state.withLock { state in
      guard let exchange = state.exchanges[question.exchange], case .asking = exchange.stage else { return }
      state.exchanges[question.exchange]?.stage = .answered(isWrong ? 400 : 200, bytes)
      library.resume(exchange.connection)
    }
    if isWrong { counts.withLock { $0.tally.wrongRequests += 1 } }
    moments.yield()
  }

  private func refuse(_ refusal: PanelRules.Refusal, _ connection: LibMicroHTTPD.Connection) -> Bool {
    counts.withLock { counts in
      switch refusal {
      case .misdirected, .foreign, .noToken: counts.tally.strangers += 1
      case .notFound, .wrongMethod, .wrongType, .tooLong: counts.tally.wrongRequests += 1
      case .full: counts.tally.turnedAway += 1
      }
    }
    let headers =
      PanelPage.headers + [("Content-Type", "text/plain; charset=utf-8"), ("Connection", "close")]
      + (refusal == .wrongMethod ? [("Allow", "GET, POST")] : [])
    return respond(to: connection, refusal.status, headers, Array("\(refusal.text)\n".utf8))
  }

  private func respond(
    to connection: LibMicroHTTPD.Connection, _ status: UInt32, _ headers: [(String, String)], _ bytes: [UInt8]
  ) -> Bool {
    counts.withLock { $0.answered += 1 }
    return library.respond(to: connection, status, headers, bytes)
  }

  /// A request is over, however.
  fileprivate func forget(_ id: Int, _ code: MHD_RequestTerminationCode) {
    let (viewer, exchange) = state.withLock { state in
      (state.viewers.removeValue(forKey: id), state.exchanges.removeValue(forKey: id))
    }
    counts.withLock { counts in
      if let viewer, !viewer.isDropped, code == .REQUEST_TERMINATED_TIMEOUT_REACHED {
        counts.tally.slowReaders += 1
      }
      // Who has gone before all of it was sent, or before it was answered.
      if exchange != nil, code != .REQUEST_TERMINATED_COMPLETED_OK { counts.tally.wrongRequests += 1 }
    }
  }
}

// MARK: Connections

extension PanelServer {
  /// Whether somebody may connect.
  fileprivate func accepts(_ peer: SocketAddress?) -> Bool {
    if checksUser, let peer, LocalUser.owner(of: peer) != getuid() {
      counts.withLock { $0.tally.strangers += 1 }
      return false
    }
    return counts.withLock { counts in
      guard counts.connections.count < Self.mostConnections else {
        counts.tally.turnedAway += 1
        return false
      }
      return true
    }
  }

  fileprivate func connected(_ connection: LibMicroHTTPD.Connection) {
    counts.withLock { $0.connections[connection] = false }
  }

  fileprivate func disconnected(_ connection: LibMicroHTTPD.Connection) {
    counts.withLock { counts in
      if counts.connections.removeValue(forKey: connection) == false { counts.tally.wrongRequests += 1 }
    }
  }
}

// MARK: What the library calls, on its thread

private func server(_ closure: UnsafeMutableRawPointer?) -> PanelServer? {
  closure.map { Unmanaged<PanelServer>.fromOpaque($0).takeUnretainedValue() }
}

private let acceptPolicy: MHD_AcceptPolicyCallback = { closure, address, _ in
  server(closure)?.accepts(SocketAddress(address)) == true ? .YES : .NO
}

private let notification: MHD_NotifyConnectionCallback = { closure, connection, _, code in
  guard let server = server(closure), let connection = connection.map(LibMicroHTTPD.Connection.init) else {
    return
  }
  if code == .CONNECTION_NOTIFY_STARTED {
    server.connected(connection)
  } else {
    server.disconnected(connection)
  }
}

private let completion: MHD_RequestCompletedCallback = { closure, _, place, code in
  guard let server = server(closure), let id = place?.pointee else { return }
  server.forget(Int(bitPattern: id), code)
}

private let accessHandler: MHD_AccessHandlerCallback = {
  closure, connection, path, method, _, piece, count, place in
  guard let server = server(closure), let connection = connection.map(LibMicroHTTPD.Connection.init),
    let count, let place
  else { return .NO }
  guard let id = place.pointee.map({ Int(bitPattern: $0) }) else {
    guard let id = server.begin(connection, path: path, method: method) else { return .NO }
    place.pointee = UnsafeMutableRawPointer(bitPattern: id)
    return .YES
  }
  guard count.pointee > 0 else { return server.goOn(id, connection) ? .YES : .NO }
  defer { count.pointee = 0 }
  return server.take(UnsafeRawBufferPointer(start: piece, count: count.pointee), of: id) ? .YES : .NO
}

extension PanelServer {
  fileprivate func begin(
    _ connection: LibMicroHTTPD.Connection, path: UnsafePointer<CChar>?, method: UnsafePointer<CChar>?
  ) -> Int? {
    guard let path, let method else { return nil }
    return begin(
      connection,
      PanelRequest(
        method: String(cString: method), path: String(cString: path),
        arguments: library.fields(.GET_ARGUMENT_KIND, of: connection),
        headers: library.fields(.HEADER_KIND, of: connection)))
  }
}
