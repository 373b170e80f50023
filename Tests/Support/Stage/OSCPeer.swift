import Foundation
import Glibc

/// A program that speaks OSC, with code of its own: none of it is the project's.
///
/// It is at a port of this machine. Not thread-safe. Methods that wait block the calling thread.
public final class OSCPeer {
  /// A value of a message.
  public enum Value: Sendable, Hashable {
    case int(Int32)
    case long(Int64)
    case float(Float)
    case double(Double)
    case text(String)
    case truth(Bool)
    case null
  }

  /// A message.
  public struct Message: Sendable, Hashable {
    /// Where it went.
    public let address: String
    /// The values after the address.
    public let values: [Value]

    /// The number that is its first value.
    public var number: Double? {
      switch values.first {
      case .int(let number): Double(number)
      case .long(let number): Double(number)
      case .float(let number): Double(number)
      case .double(let number): number
      default: nil
      }
    }

    /// The texts among its values.
    public var texts: [String] {
      values.compactMap { if case .text(let text) = $0 { text } else { nil } }
    }
  }

  /// The port that it is at.
  public let port: UInt16
  private let descriptor: Int32
  private let destination: UInt16
  private var waiting: [Message] = []

  /// How many bytes it has sent, and been sent.
  public private(set) var bytes = (sent: 0, received: 0)

  /// One that sends to a port of 127.0.0.1, from an address and a port of its own.
  ///
  /// - Throws: ``StageError`` when there is no socket to be had.
  public init(
    sendingTo destination: UInt16, from host: String = "127.0.0.1", port wanted: UInt16 = 0
  ) throws(StageError) {
    try Isolation.require()
    self.destination = destination
    let descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = Self.address(wanted, host)
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let code = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(descriptor, address, length) == 0 ? getsockname(descriptor, address, &length) : -1
      }
    }
    port = UInt16(bigEndian: address.sin_port)
    self.descriptor = descriptor
    guard code == 0 else { throw .unusable("no socket for OSC: \(String(cString: strerror(errno)))") }
  }

  deinit { close(descriptor) }

  /// A port of UDP that no program has now.
  public static func freePort() throws(StageError) -> UInt16 { try OSCPeer(sendingTo: 1).port }

  private static func address(_ port: UInt16, _ host: String = "127.0.0.1") -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = inet_addr(host)
    return address
  }

  // MARK: Sending

  /// Sends a message.
  public func send(_ address: String, _ values: Value...) { send(bytes: Self.encode(address, values)) }

  /// Sends a bundle, for now.
  public func send(bundle messages: [(String, [Value])]) {
    send(bytes: Self.bundle(messages.map(Self.encode)))
  }

  /// Sends any bytes.
  public func send(bytes: [UInt8]) {
    self.bytes.sent += bytes.count
    var address = Self.address(destination)
    withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        _ = sendto(descriptor, bytes, bytes.count, 0, address, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
  }

  /// A message as OSC 1.0 has it.
  public static func encode(_ address: String, _ values: [Value]) -> [UInt8] {
    var (tags, data) = (",", [UInt8]())
    for value in values {
      switch value {
      case .int(let number): (tags, data) = (tags + "i", data + bigEndian(number))
      case .long(let number): (tags, data) = (tags + "h", data + bigEndian(number))
      case .float(let number): (tags, data) = (tags + "f", data + bigEndian(number.bitPattern))
      case .double(let number): (tags, data) = (tags + "d", data + bigEndian(number.bitPattern))
      case .text(let text): (tags, data) = (tags + "s", data + padded(text))
      case .truth(let truth): tags += truth ? "T" : "F"
      case .null: tags += "N"
      }
    }
    return padded(address) + padded(tags) + data
  }

  /// A bundle as OSC 1.0 has it, for now.
  public static func bundle(_ elements: [[UInt8]]) -> [UInt8] {
    padded("#bundle") + bigEndian(UInt64(1)) + elements.flatMap { bigEndian(Int32($0.count)) + $0 }
  }

  private static func bigEndian(_ number: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: number.bigEndian, Array.init)
  }

  private static func padded(_ text: String) -> [UInt8] {
    let bytes = Array(text.utf8)
    return bytes + [UInt8](repeating: 0, count: 4 - bytes.count % 4)
  }

  // MARK: Receiving

  /// The next message that arrives within `limit`, or out of the last bundle; nil when none does.
  public func next(within limit: Duration = .seconds(20)) -> Message? {
    let deadline = ContinuousClock.now + limit
    while waiting.isEmpty {
      let left = max(.zero, deadline - .now)
      var wish = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      let milliseconds = left.components.seconds * 1000 + left.components.attoseconds / 1_000_000_000_000_000
      guard poll(&wish, 1, Int32(milliseconds)) > 0 else { return nil }
      var bytes = [UInt8](repeating: 0, count: 65536)
      let count = recv(descriptor, &bytes, bytes.count, 0)
      if count > 0 { self.bytes.received += count }
      if count > 0 { waiting = Self.decode(bytes[..<count]) }
    }
    return waiting.removeFirst()
  }

  /// The next message that meets a condition; those before it are gone.
  public func first(
    within limit: Duration = .seconds(20), where isWanted: (Message) -> Bool
  ) -> Message? {
    let deadline = ContinuousClock.now + limit
    while let message = next(within: max(.zero, deadline - .now)) {
      if isWanted(message) { return message }
    }
    return nil
  }

  /// The answer at an address, from the same address or from `/jackstay/answer`.
  public func ask(_ address: String, _ values: Value...) -> Message? {
    send(bytes: Self.encode(address, values))
    return first {
      $0.address == address
        || ($0.address == "/jackstay/answer" && $0.values.dropFirst().first == .text(address))
    }
  }

  /// All messages that have arrived by now.
  public func rest() -> [Message] {
    var all: [Message] = []
    while let message = next(within: .zero) { all.append(message) }
    return all
  }

  /// The messages of a datagram.
  public static func decode(_ bytes: ArraySlice<UInt8>) -> [Message] {
    var rest = bytes
    if bytes.starts(with: padded("#bundle")) {
      rest = rest.dropFirst(16)
      var messages: [Message] = []
      while rest.count >= 4 {
        let count = Int(number(&rest, UInt32.self))
        messages += decode(rest.prefix(count))
        rest = rest.dropFirst(count)
      }
      return messages
    }
    let address = text(&rest)
    let values = text(&rest).dropFirst().map { tag -> Value in
      switch tag {
      case "i": .int(number(&rest, Int32.self))
      case "h": .long(number(&rest, Int64.self))
      case "f": .float(Float(bitPattern: number(&rest, UInt32.self)))
      case "d": .double(Double(bitPattern: number(&rest, UInt64.self)))
      case "s": .text(text(&rest))
      case "T", "F": .truth(tag == "T")
      default: .null
      }
    }
    return [Message(address: address, values: values)]
  }

  private static func number<Number: FixedWidthInteger>(
    _ rest: inout ArraySlice<UInt8>, _: Number.Type
  ) -> Number {
    let count = MemoryLayout<Number>.size
    defer { rest = rest.dropFirst(count) }
    return rest.prefix(count).reduce(0) { $0 << 8 | Number(truncatingIfNeeded: $1) }
  }

  private static func text(_ rest: inout ArraySlice<UInt8>) -> String {
    let bytes = rest.prefix { $0 != 0 }
    rest = rest.dropFirst(bytes.count + 4 - bytes.count % 4)
    return String(decoding: bytes, as: UTF8.self)
  }
}
