import Glibc
import Synchronization

/// A session manager as a test plays it, or the other end of a real one's connection: a UDP socket on this
/// machine, and OSC as its specification has it, without any library.
///
/// Thread-safe. Methods that wait block the calling thread.
public final class ScriptedSessionManager: Sendable {
  /// A value of a message.
  public enum Argument: Sendable, Hashable, ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
    case text(String)
    case number(Int32)

    /// A text.
    public init(stringLiteral text: String) { self = .text(text) }

    /// A whole number.
    public init(integerLiteral number: Int32) { self = .number(number) }
  }

  /// A message.
  public struct Message: Sendable, Hashable {
    /// Where it goes.
    public let address: String
    /// The values after the address.
    public let arguments: [Argument]

    /// A message.
    public init(_ address: String, _ arguments: Argument...) {
      self.init(address, arguments)
    }

    /// A message with arguments that were put together before.
    public init(_ address: String, _ arguments: [Argument]) {
      (self.address, self.arguments) = (address, arguments)
    }

    /// The texts among its arguments, in order.
    public var texts: [String] {
      arguments.compactMap { argument in
        if case .text(let text) = argument { text } else { nil }
      }
    }
  }

  /// Its port.
  public let port: UInt16
  private let descriptor: Int32
  private let partner = Mutex<UInt16>(0)
  private let received = Mutex<[Message]>([])

  /// Where it is, as `NSM_URL` has it.
  public var url: String { "osc.udp://127.0.0.1:\(port)/" }

  /// One that listens at a port, or at any that is free.
  ///
  /// - Throws: ``StageError`` when there is no socket to be had.
  public init(port wanted: UInt16 = 0) throws(StageError) {
    try Isolation.require()
    let descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    self.descriptor = descriptor
    var address = Self.address(port: wanted)
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let code = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(descriptor, address, length) == 0 ? getsockname(descriptor, address, &length) : -1
      }
    }
    guard code == 0 else { throw .unusable("no socket: \(String(cString: strerror(errno)))") }
    port = UInt16(bigEndian: address.sin_port)
  }

  deinit { close(descriptor) }

  /// The port of the last sender.
  public var partnersPort: UInt16 { partner.withLock { $0 } }

  /// All messages so far.
  public var messages: [Message] { received.withLock { $0 } }

  /// Sends to that port from now on; before, to the last sender.
  public func talk(to port: UInt16) { partner.withLock { $0 = port } }

  /// Sends a message to the last sender.
  public func send(_ address: String, _ arguments: Argument...) {
    send(bytes: Self.bytes(of: Message(address, arguments)))
  }

  /// Sends any bytes.
  public func send(bytes: [UInt8]) {
    var address = Self.address(port: partner.withLock { $0 })
    withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        _ = sendto(descriptor, bytes, bytes.count, 0, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
  }

  /// The next message; nil when none comes in time.
  public func next(within limit: Duration = .seconds(20)) -> Message? {
    let deadline = ContinuousClock.now + limit
    while true {
      let left = deadline - .now
      var wish = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      guard left > .zero, poll(&wish, 1, Int32(left / .milliseconds(1)) + 1) > 0 else { return nil }
      var bytes = [UInt8](repeating: 0, count: 65_536)
      var address = sockaddr_in()
      var length = socklen_t(MemoryLayout<sockaddr_in>.size)
      let count = withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          recvfrom(descriptor, &bytes, bytes.count, 0, $0, &length)
        }
      }
      guard count > 0, let message = Self.message(in: Array(bytes.prefix(count))) else { continue }
      partner.withLock { $0 = UInt16(bigEndian: address.sin_port) }
      received.withLock { $0.append(message) }
      return message
    }
  }

  /// Waits for a message of that address, and with such texts at first, after any others.
  ///
  /// - Throws: ``StageError`` when it does not come in time.
  @discardableResult public func await(
    _ address: String, _ texts: String..., within limit: Duration = .seconds(20)
  ) throws(StageError) -> Message {
    let deadline = ContinuousClock.now + limit
    while let message = next(within: deadline - .now) {
      if message.address == address, message.texts.starts(with: texts) { return message }
    }
    throw .timedOut(
      awaiting: "\(address) \(texts)", transcript: messages.map { "\($0)" }.joined(separator: "\n"))
  }

  // MARK: OSC

  private static func address(port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return address
  }

  /// A text and zeros, to a multiple of four bytes.
  private static func padded(_ text: String) -> [UInt8] {
    let bytes = Array(text.utf8) + [0]
    return bytes + [UInt8](repeating: 0, count: (4 - bytes.count % 4) % 4)
  }

  private static func bytes(of message: Message) -> [UInt8] {
    var (types, values) = (",", [UInt8]())
    for argument in message.arguments {
      switch argument {
      case .text(let text):
        types += "s"
        values += padded(text)
      case .number(let number):
        types += "i"
        values += withUnsafeBytes(of: number.bigEndian, Array.init)
      }
    }
    return padded(message.address) + padded(types) + values
  }

  private static func message(in bytes: [UInt8]) -> Message? {
    var rest = bytes[...]
    func text() -> String? {
      guard let end = rest.firstIndex(of: 0) else { return nil }
      let text = String(validating: rest[..<end], as: UTF8.self)
      rest = rest.dropFirst((end - rest.startIndex) / 4 * 4 + 4)
      return text
    }
    guard let address = text(), let types = text(), types.hasPrefix(",") else { return nil }
    var arguments: [Argument] = []
    for type in types.dropFirst() {
      switch type {
      case "s":
        guard let text = text() else { return nil }
        arguments.append(.text(text))
      case "i":
        guard rest.count >= 4 else { return nil }
        arguments.append(.number(Int32(bitPattern: rest.prefix(4).reduce(0) { $0 << 8 | UInt32($1) })))
        rest = rest.dropFirst(4)
      default: return nil
      }
    }
    return Message(address, arguments)
  }
}
