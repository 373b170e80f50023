import Glibc
import Host

/// One connection with Ardour's WebSockets surface, from the first call on. No call blocks. For one thread.
final class ArdourConnection {
  /// How long it may take to be made.
  private static let patience = Duration.seconds(5)
  /// For how long nothing may come before it is asked whether it is there, and then until it has answered.
  private static let silence = Duration.seconds(10)
  /// How much may wait to be sent, in bytes.
  private static let mostPending = 65_536

  let descriptor: Int32
  private let handshake: WebSocketHandshake
  private let begun: Duration
  private var reader = WebSocketReader()
  private var phase = Phase.connecting
  private var incoming: [UInt8] = []
  private var outgoing: [UInt8] = []
  private var heardAt: Duration
  private var isAsked = false

  private enum Phase {
    case connecting
    case greeting
    case open
  }

  /// Whether messages can be sent.
  var isOpen: Bool { phase == .open }

  /// Begins to connect.
  ///
  /// The corresponding C functions are `socket` and `connect`.
  init(to address: ListenAddress, at now: Duration) throws(ArdourFault) {
    guard let place = SocketAddress(host: address.host, port: address.port) else { throw .system(EINVAL) }
    handshake = WebSocketHandshake(host: address.description, nonce: Self.random(16))
    (begun, heardAt) = (now, now)
    let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
    descriptor = socket(place.family, kind, 0)
    guard descriptor >= 0 else { throw .system(errno) }
    Descriptor.set(TCP_NODELAY, at: Int32(IPPROTO_TCP), of: descriptor, to: Int32(1))
    guard place.withPointer({ connect(descriptor, $0, $1) }) == 0 || errno == EINPROGRESS else {
      throw .system(errno)
    }
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// The events that are waited for.
  var events: Int16 {
    phase == .connecting || !outgoing.isEmpty ? Int16(POLLIN | POLLOUT) : Int16(POLLIN)
  }

  /// When it is to be looked at though nothing has come.
  var dueTime: Duration { phase == .open ? heardAt + Self.silence : begun + Self.patience }

  /// Goes on, and returns the texts that have come.
  func proceed(_ happened: Int16, at now: Duration) throws(ArdourFault) -> [[UInt8]] {
    if phase == .connecting {
      guard happened != 0 else { return try wait(now) }
      try begin()
    }
    let bytes = try receive()
    if !bytes.isEmpty { (heardAt, isAsked) = (now, false) }
    var texts: [[UInt8]] = []
    do throws(WebSocketFault) {
      texts = try take(bytes)
    } catch {
      if phase == .open { send(WebSocketWriter.close(error.closeCode, mask: Self.random(4))) }
      _ = try? flush()
      throw .protocolError(error)
    }
    try flush()
    _ = try wait(now)
    return texts
  }

  /// Has a request be sent.
  func send(_ request: ArdourRequest) { send(WebSocketWriter.text(request.text, mask: Self.random(4))) }

  /// Says good-bye, if there is room for it.
  func end() {
    guard phase == .open else { return }
    send(WebSocketWriter.close(1000, mask: Self.random(4)))
    _ = try? flush()
  }

  // MARK: Details

  /// The connection is made, or refused. The corresponding C function is `getsockopt`.
  private func begin() throws(ArdourFault) {
    var number: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    guard getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &number, &size) == 0 else { throw .system(errno) }
    guard number == 0 else { throw .system(number) }
    phase = .greeting
    outgoing += handshake.request
    try flush()
  }

  /// Ends what takes too long, and asks where nothing comes.
  private func wait(_ now: Duration) throws(ArdourFault) -> [[UInt8]] {
    guard now >= dueTime else { return [] }
    guard phase == .open, !isAsked else { throw .silent }
    (heardAt, isAsked) = (now, true)
    send(WebSocketWriter.ping(mask: Self.random(4)))
    try flush()
    return []
  }

  private func take(_ bytes: [UInt8]) throws(WebSocketFault) -> [[UInt8]] {
    var bytes = bytes
    if phase == .greeting {
      incoming += bytes
      guard let length = try handshake.check(incoming) else { return [] }
      phase = .open
      bytes = Array(incoming.dropFirst(length))
      incoming = []
    }
    var texts: [[UInt8]] = []
    for event in try reader.take(bytes) {
      switch event {
      case .text(let text): texts.append(text)
      case .ping(let payload): send(WebSocketWriter.pong(payload, mask: Self.random(4)))
      case .close(let code):
        send(WebSocketWriter.close(code ?? 1000, mask: Self.random(4)))
        isClosed = true
      case .binary, .pong: break
      }
    }
    return texts
  }

  /// Whether the other side has said good-bye.
  private(set) var isClosed = false

  private func send(_ bytes: [UInt8]) { outgoing += bytes }

  /// The bytes that have come. The corresponding C function is `recv`.
  private func receive() throws(ArdourFault) -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: 16_384)
    let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
    if count > 0 { return Array(buffer.prefix(count)) }
    guard count < 0 else { throw .closed }
    guard errno == EAGAIN || errno == EINTR else { throw .system(errno) }
    return []
  }

  /// Sends as much as there is room for. The corresponding C function is `send`.
  func flush() throws(ArdourFault) {
    while !outgoing.isEmpty {
      let count = Glibc.send(descriptor, outgoing, outgoing.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
      guard count > 0 else {
        if errno == EINTR { continue }
        guard errno == EAGAIN else { throw .system(errno) }
        break
      }
      outgoing.removeFirst(count)
    }
    guard outgoing.count <= Self.mostPending else { throw .full }
  }

  private static func random(_ count: Int) -> [UInt8] { (0..<count).map { _ in .random(in: 0...255) } }
}
