import CMicroHTTPD
import Control
import Dispatch
import Glibc
import Host
import JSON
import Synchronization

/// Shows a panel to browsers, sends them events, and carries out their commands: the same objects that go
/// over the control socket.
///
/// The page is read at `/`; `/updates` is a stream of server-sent events, each of them a status, or an event;
/// a command is posted to `/command`. No connection waits for another: the library's one thread reads and
/// writes for all, requests wait apart until they are answered, and a client that stops reading is
/// disconnected. Another thread accepts connections, and ends those that have not sent a whole request in
/// time.
///
/// Thread-safe. Realtime-safe: no.
public final class PanelServer: Surface {
  /// How many may be connected.
  static let mostConnections = 32
  /// How many the library may hold, with those that were ended to make room and that it has not closed yet.
  private static let mostHeld = 2 * mostConnections
  /// How long a connection waits at most until the library has closed others.
  private static let closingTime = DispatchTimeInterval.seconds(1)
  /// How many may have the panel open.
  static let mostViewers = 16
  /// How many bytes that one viewer has not read yet are kept, beyond those that the kernel keeps.
  static let mostUnread = 64 * 1024
  /// The largest memory of one connection for its requests, in bytes: header, address and a piece of the
  /// body.
  static let memory = 16 * 1024
  /// After how many seconds a connection is closed that neither reads nor writes.
  static let patience: UInt32 = 10
  /// How many connections of one network address may be without a request that was accepted. Those of IP version 6 that
  /// have the first half of their address in common count as one.
  static let mostUnprovenOfOne = 8
  /// How often is tried to listen at an address that cannot be had.
  private static let retry = Duration.seconds(1)
  /// The interval of status events, if nothing happens: pages compute moving values from tempo and time.
  static let interval = Duration.milliseconds(250)
  /// The interval within which all changes make one status event.
  static let pause = Duration.milliseconds(40)

  /// Its address; `nil` of a server that only takes connections that are handed over.
  private let address: ListenAddress?
  private let library: LibMicroHTTPD
  private let rules: PanelRules
  /// How long one may take for a whole request.
  private let requestTime: Duration
  private let state = Mutex(State())
  private let counts = Mutex(Counts())
  private let daemon = Mutex<LibMicroHTTPD.Daemon?>(nil)
  /// Signalled with each connection that the library has closed.
  private let departures = DispatchSemaphore(value: 0)
  private let thread: PollThread
  /// The data of the thread that accepts.
  private let door: Mutex<Door>
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

  /// A browser that has the panel open.
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
    /// The connections, by the system's numbers for them.
    var connections: [Int32: Guest] = [:]
    var isListening = false
  }

  /// A connection.
  private struct Guest {
    /// The part of the address that it shares with others of the same machine; `nil` where all are of this
    /// one.
    let network: [UInt8]?
    let since: ContinuousClock.Instant
    /// Whether the library has it.
    var isTaken = false
    /// Whether it has sent something that was understood as a request.
    var hasAsked = false
    /// Whether one of its requests was accepted.
    var isProven = false
    /// Whether it was ended to make room.
    var isEnding = false
    /// When it has to have sent a whole request; `nil` while it is answered.
    var deadline: ContinuousClock.Instant?
  }

  private struct Question: Sendable {
    let exchange: Int
    let request: ControlRequest
  }

  /// Shows a panel at `address`, as soon as that can be had. Where others can connect a link needs a token.
  ///
  /// - Parameters:
  ///   - address: Where. Where this machine does not have the address, or another program has the port, it is
  ///     tried again each second.
  ///   - report: Gets the reason while the panel is not there yet, on the caller's thread, and the links when
  ///     it is, on that thread or on one of the panel's.
  /// - Throws: ``PanelError`` where the library is missing, or the system has nothing left.
  public convenience init(
    at address: ListenAddress, report: @escaping @Sendable (Result<[String], PanelError>) -> Void = { _ in }
  ) throws(PanelError) {
    // Where the kernel does not report the owner of a connection, a token proves the user.
    let ownership = address.isLoopback ? TCPOwnership() : nil
    let token = ownership == nil ? PanelToken() : nil
    try self.init(address, Door(ownership: ownership), token, requestTime: .seconds(Self.patience))
    do throws(PanelError) {
      try listen()
      report(.success(links))
    } catch {
      report(.failure(error))
    }
    try startServing(report)
  }

  /// A server only for connections that are handed over by ``take(_:from:)``.
  package convenience init(token: PanelToken?, requestTime: Duration = .seconds(10)) throws(PanelError) {
    try self.init(nil, Door(ownership: nil), token, requestTime: requestTime)
    try startServing { _ in }
  }

  /// Serves on a thread of its own; where there is none, the library's is ended before the server is given up.
  private func startServing(
    _ report: @escaping @Sendable (Result<[String], PanelError>) -> Void
  ) throws(PanelError) {
    guard !thread.begin({ [self] in door.withLock { serve(&$0, report) } }) else { return }
    stop()
    throw PanelError("there is no panel", errno: EAGAIN, "end other programs, and try again")
  }

  private init(
    _ address: ListenAddress?, _ door: consuming sending Door, _ token: PanelToken?, requestTime: Duration
  ) throws(PanelError) {
    guard let library = LibMicroHTTPD() else {
      throw PanelError(
        "there is no panel: the library libmicrohttpd.so.12 is missing; install it, on Debian with: apt-get install "
          + "libmicrohttpd12")
    }
    guard let thread = PollThread() else {
      throw PanelError("there is no panel", errno: errno, "end other programs, and try again")
    }
    self.address = address
    self.library = library
    self.thread = thread
    self.requestTime = requestTime
    self.door = Mutex(door)
    rules = PanelRules(token: token, longestBody: ControlRequest.longest)
    (asked, questions) = AsyncStream.makeStream()
    (awaited, moments) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    let started = library.start(
      httpd_settings(
        // One that it has told to be closed it may still count.
        most_connections: UInt32(Self.mostHeld + 1), memory: Self.memory, timeout: Self.patience,
        access: accessHandler, completed: completion, notify: notification,
        closure: Unmanaged.passUnretained(self).toOpaque()))
    guard let started else {
      throw PanelError("there is no panel", errno: errno, "end other programs, and try again")
    }
    daemon.withLock { $0 = started }
  }

  /// The links by which people get to it now, the likeliest first; none while it is not there.
  public var links: [String] {
    guard let address, counts.withLock({ $0.isListening }) else { return [] }
    return PanelLinks.all(for: address, token: rules.token)
  }

  /// The counts so far.
  public var tally: PanelTally {
    var tally = counts.withLock { $0.tally }
    tally.viewers = state.withLock { $0.viewers.count }
    return tally
  }

  /// How many requests were answered, also where the client had gone.
  package var answered: Int { counts.withLock { $0.answered } }

  /// Has `answer` find the answer to each question, one after the other, and to `status` from time to time,
  /// until ``finish(within:)``.
  public func run(_ answer: @escaping @Sendable (String) async -> ControlAnswer) async {
    await withTaskGroup { group in
      group.addTask { [self] in
        for await question in asked { send(await question.request.answer(by: answer), to: question) }
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

  /// Sends an event to all viewers; where there are none, the event is not even put into words.
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
    let isStarted = DetachedThread.start { [self] in
      stop()
      hasEnded.signal()
    }
    guard isStarted else { return }
    _ = hasEnded.wait(timeout: .now() + timeout)
  }

  /// Accepts a client that is connected with the other end of a socket.
  ///
  /// - Parameters:
  ///   - descriptor: This end, which does not block.
  ///   - peer: The address of the other end; `nil` for one of this machine, of which there may be as many as there is
  ///     room for.
  package func take(_ descriptor: Int32, from peer: SocketAddress? = nil) {
    guard isThereRoom(), admit(descriptor, peer) else {
      close(descriptor)
      return
    }
    let isTaken = daemon.withLock { daemon in
      guard let daemon else {
        close(descriptor)
        return false
      }
      // From here on the library closes it.
      return library.add(descriptor, peer, to: daemon)
    }
    guard !isTaken else { return }
    counts.withLock { counts in
      if counts.connections[descriptor]?.isTaken == false { counts.connections[descriptor] = nil }
    }
  }

  private func stop() {
    thread.end()
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

// MARK: Viewers

extension PanelServer {
  private var hasViewers: Bool { state.withLock { !$0.viewers.isEmpty } }

  private func show(_ object: JSONObject, isStatus: Bool) {
    let message = Array("data: \(object.line)\n\n".utf8)
    var dropped = 0
    state.withLock { state in
      for (id, viewer) in state.viewers where !viewer.isDropped {
        // A viewer that has not read the last status yet needs none that is about to be old, too.
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

  /// Begins the stream of events to a client; `nil` when its connection is to end.
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

  /// The library's source of one viewer's events.
  private final class UpdateSource: Sendable {
    /// It outlives the library's daemon, which calls this.
    unowned let server: PanelServer
    let viewer: Int

    init(server: PanelServer, viewer: Int) {
      self.server = server
      self.viewer = viewer
    }
  }

  /// Copies events that one viewer has not got yet, and returns how many bytes that is: 0 for none so far, -1
  /// at the end, -2 for a viewer that is disconnected.
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
  /// The first look at a request, by the part before its body; `nil` when its connection is to end.
  ///
  /// - Returns: The number of the request from now on.
  fileprivate func begin(_ connection: LibMicroHTTPD.Connection, _ request: PanelRequest) -> Int? {
    let verdict = rules.judge(request)
    change(connection) { guest in
      guest.hasAsked = true
      if case .refused = verdict { return }
      guest.isProven = true
      // Of a command the body is still to come.
      if verdict != .command { guest.deadline = nil }
    }
    switch verdict {
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
    if isOpen { change(connection) { $0.deadline = nil } }
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
      // A client that has gone before all of it was sent, or before it was answered.
      if exchange != nil, code != .REQUEST_TERMINATED_COMPLETED_OK { counts.tally.wrongRequests += 1 }
    }
  }
}

// MARK: Connections

extension PanelServer {
  /// Whether the library can hold one more connection, for which this waits where it holds many that are ending.
  private func isThereRoom() -> Bool {
    while counts.withLock({ $0.connections.count >= Self.mostHeld }) {
      guard departures.wait(timeout: .now() + Self.closingTime) == .success else {
        counts.withLock { $0.tally.turnedAway += 1 }
        return false
      }
    }
    return true
  }

  /// Whether there is a place for a connection. One that has had a request accepted keeps its place; of the
  /// others the oldest makes room, first of the same network address: a client that only holds connections
  /// delays no other.
  private func admit(_ descriptor: Int32, _ peer: SocketAddress?) -> Bool {
    let now = ContinuousClock.now
    let network = peer.map { Array($0.unmappedBytes.prefix(8)) }
    let isAdmitted = counts.withLock { counts in
      let current = counts.connections.filter { !$0.value.isEnding }
      let unproven = current.filter { !$0.value.isProven }.sorted { $0.value.since < $1.value.since }
      let own = network == nil ? [] : unproven.filter { $0.value.network == network }
      if own.count >= Self.mostUnprovenOfOne {
        Self.end(own[0].key, &counts)
      } else if current.count >= Self.mostConnections {
        guard let oldest = unproven.first else {
          counts.tally.turnedAway += 1
          return false
        }
        Self.end(oldest.key, &counts)
      }
      counts.connections[descriptor] = Guest(network: network, since: now, deadline: now + requestTime)
      return true
    }
    if isAdmitted { thread.call() }
    return isAdmitted
  }

  /// Ends a connection to make room for another.
  private static func end(_ descriptor: Int32, _ counts: inout Counts) {
    counts.tally.turnedAway += 1
    counts.connections[descriptor]?.isEnding = true
    if counts.connections[descriptor]?.isTaken == true { shutdown(descriptor, Int32(SHUT_RDWR)) }
  }

  private func change(_ connection: LibMicroHTTPD.Connection, _ change: (inout Guest) -> Void) {
    let descriptor = library.descriptor(of: connection)
    counts.withLock { counts in
      guard var guest = counts.connections[descriptor] else { return }
      change(&guest)
      counts.connections[descriptor] = guest
    }
  }

  fileprivate func connected(_ connection: LibMicroHTTPD.Connection) {
    let descriptor = library.descriptor(of: connection)
    change(connection) { guest in
      guest.isTaken = true
      // It was ended on its way.
      if guest.isEnding { shutdown(descriptor, Int32(SHUT_RDWR)) }
    }
    // The thread that ends late ones passes over a connection until the library has it.
    thread.call()
  }

  fileprivate func disconnected(_ connection: LibMicroHTTPD.Connection) {
    let descriptor = library.descriptor(of: connection)
    counts.withLock { counts in
      guard let guest = counts.connections.removeValue(forKey: descriptor) else { return }
      if !guest.hasAsked, !guest.isEnding { counts.tally.wrongRequests += 1 }
    }
    departures.signal()
  }

  /// A request of a connection is over: the next one has its own time.
  fileprivate func completed(_ connection: LibMicroHTTPD.Connection) {
    let deadline = ContinuousClock.now + requestTime
    change(connection) { if $0.isProven { $0.deadline = deadline } }
    thread.call()
  }
}

// MARK: The thread that accepts

extension PanelServer {
  private func listen() throws(PanelError) {
    guard let address else { return }
    try door.withLock { door throws(PanelError) in door.listener = try ListeningSocket(at: address) }
    counts.withLock { $0.isListening = true }
  }

  /// The data that only that thread uses.
  private struct Door: ~Copyable {
    let ownership: TCPOwnership?
    var listener: ListeningSocket?
  }

  private func serve(_ door: inout Door, _ report: (Result<[String], PanelError>) -> Void) {
    while true {
      if door.listener == nil, let address {
        door.listener = try? ListeningSocket(at: address)
        if door.listener != nil {
          counts.withLock { $0.isListening = true }
          report(.success(links))
        }
      }
      var wishes: [pollfd] = []
      if let listener = door.listener?.descriptor {
        wishes.append(pollfd(fd: listener, events: Int16(POLLIN), revents: 0))
      }
      let isRetrying = address != nil && door.listener == nil
      let times = [endLate().map { $0 - .now }, isRetrying ? Self.retry : nil].compactMap(\.self)
      guard thread.wait(for: &wishes, atMost: times.min()) else { break }
      while let (connection, peer) = door.listener?.accept() { receive(connection, peer, door.ownership) }
    }
    door.listener = nil
  }

  /// Takes in a connection, unless it is another user's.
  private func receive(_ connection: Int32, _ peer: SocketAddress, _ ownership: TCPOwnership?) {
    guard let ownership else { return take(connection, from: peer) }
    switch ownership.ownerOfPeer(of: connection, at: peer) {
    case .user(getuid()): take(connection)
    case .user:
      counts.withLock { $0.tally.strangers += 1 }
      close(connection)
    case .unknown:
      // The other end is closed already: it does not matter whose it was.
      counts.withLock { $0.tally.wrongRequests += 1 }
      close(connection)
    }
  }

  /// Ends connections whose time is over, and returns when the next one's is.
  private func endLate() -> ContinuousClock.Instant? {
    let now = ContinuousClock.now
    return counts.withLock { counts in
      var next: ContinuousClock.Instant?
      for (descriptor, guest) in counts.connections where guest.isTaken && !guest.isEnding {
        guard let deadline = guest.deadline else { continue }
        if deadline <= now {
          counts.connections[descriptor]?.deadline = nil
          shutdown(descriptor, Int32(SHUT_RDWR))
        } else {
          next = min(next ?? deadline, deadline)
        }
      }
      return next
    }
  }
}

// MARK: Callbacks, on the library's thread

private func server(_ closure: UnsafeMutableRawPointer?) -> PanelServer? {
  closure.map { Unmanaged<PanelServer>.fromOpaque($0).takeUnretainedValue() }
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

private let completion: MHD_RequestCompletedCallback = { closure, connection, place, code in
  guard let server = server(closure), let id = place?.pointee else { return }
  server.forget(Int(bitPattern: id), code)
  if let connection { server.completed(LibMicroHTTPD.Connection(connection)) }
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
