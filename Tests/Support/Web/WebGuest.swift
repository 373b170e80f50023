import CMachine
import Glibc

/// The bare end of a connection, which waits for ten seconds at most.
public final class WebGuest {
  private let descriptor: Int32
  private var bytes: [UInt8] = []

  /// The connection was refused.
  public struct Refused: Error {}

  /// A server's answer.
  public struct Answer: Sendable {
    /// HTTP's number; 0 for none.
    public let status: Int
    /// The part before the body.
    public let header: String
    /// The body.
    public let body: String
  }

  /// One, and the descriptor of the other end, which does not block.
  public static func pair() throws -> (WebGuest, Int32) {
    var ends: [Int32] = [-1, -1]
    guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends) == 0
    else {
      throw Refused()
    }
    _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
    return (WebGuest(ends[0]), ends[1])
  }

  /// Whether this process may connect as another user, as root may.
  public static var canBeOthers: Bool {
    defer { _ = machine_be_user(geteuid()) }
    return geteuid() == 0 && machine_be_user(1002) != 0
  }

  /// A client that connects with a port of this machine, or of that address of it.
  ///
  /// - Parameters:
  ///   - port: The port that is connected with.
  ///   - address: The address that is, as a number.
  ///   - own: The port that is connected from, which others may have, too; `nil` for any that is free.
  ///   - user: Whose connection it is; `nil` for this user's.
  ///   - isMapped: Whether the socket is one of IP version 6, and the address written as such.
  /// - Throws: ``Refused`` when the connection is refused.
  public convenience init(
    port: UInt16, address: UInt32 = 0x7F00_0001, from own: UInt16? = nil, as user: UInt32? = nil,
    isMapped: Bool = false
  ) throws {
    if let user, machine_be_user(user) == 0 { throw Refused() }
    defer { if user != nil { _ = machine_be_user(geteuid()) } }
    let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    let descriptor = socket(isMapped ? AF_INET6 : AF_INET, kind, 0)
    self.init(descriptor)
    if let own {
      var isShared: Int32 = 1
      setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &isShared, socklen_t(4))
      guard Self.with(address, own, isMapped, { bind(descriptor, $0, $1) }) == 0 else { throw Refused() }
    }
    guard Self.with(address, port, isMapped, { connect(descriptor, $0, $1) }) == 0 else { throw Refused() }
  }

  private static func with(
    _ address: UInt32, _ port: UInt16, _ isMapped: Bool,
    _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
  ) -> Int32 {
    var storage = sockaddr_storage()
    let size = withUnsafeMutableBytes(of: &storage) { bytes in
      bytes.storeBytes(of: port.bigEndian, toByteOffset: 2, as: UInt16.self)
      bytes.storeBytes(of: sa_family_t(isMapped ? AF_INET6 : AF_INET), as: sa_family_t.self)
      if isMapped { bytes.storeBytes(of: 0xFFFF, toByteOffset: 18, as: UInt16.self) }
      bytes.storeBytes(of: address.bigEndian, toByteOffset: isMapped ? 20 : 4, as: UInt32.self)
      return isMapped ? MemoryLayout<sockaddr_in6>.size : MemoryLayout<sockaddr_in>.size
    }
    return withUnsafePointer(to: &storage) { storage in
      storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(size)) }
    }
  }

  private init(_ descriptor: Int32) {
    self.descriptor = descriptor
    var time = timeval(tv_sec: 10, tv_usec: 0)
    for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
      setsockopt(descriptor, SOL_SOCKET, option, &time, socklen_t(MemoryLayout.size(ofValue: time)))
    }
  }

  deinit { close(descriptor) }

  /// Sends a text; false when the other end is closed.
  @discardableResult public func send(_ text: String) -> Bool { send(Array(text.utf8)) }

  /// Sends bytes; false when the other end is closed.
  @discardableResult public func send(_ bytes: [UInt8]) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  /// The next bytes; nil at the end.
  private func more() -> Bool {
    var piece = [UInt8](repeating: 0, count: 65536)
    let count = recv(descriptor, &piece, piece.count, 0)
    guard count > 0 else { return false }
    bytes += piece[..<count]
    return true
  }

  /// The text up to a mark, which goes; nil when there is none before the end.
  public func text(upTo mark: String) -> String? {
    let mark = Array(mark.utf8)
    var start = 0
    while true {
      while start + mark.count <= bytes.count {
        if bytes[start..<start + mark.count].elementsEqual(mark) {
          defer { bytes.removeFirst(start + mark.count) }
          return String(decoding: bytes[..<start], as: UTF8.self)
        }
        start += 1
      }
      guard more() else { return nil }
    }
  }

  /// The next answer, whose length it says itself; with the status 0 when there is none.
  public func answer() -> Answer {
    guard let header = text(upTo: "\r\n\r\n"), let status = Int(header.dropFirst(9).prefix(3)) else {
      return Answer(status: 0, header: "", body: "")
    }
    let length =
      header.lowercased().firstMatch(of: /content-length: ([0-9]+)/).flatMap { Int($0.output.1) } ?? 0
    while bytes.count < length, more() {}
    defer { bytes.removeFirst(min(length, bytes.count)) }
    return Answer(status: status, header: header, body: String(decoding: bytes.prefix(length), as: UTF8.self))
  }

  /// The data of the next message of a stream, whose pieces come with their lengths; nil at the end.
  public func message() -> String? {
    while let text = text(upTo: "\n\n") {
      if let data = text.firstMatch(of: /data: (.*)/) { return String(data.output.1) }
    }
    return nil
  }

  /// Whether the connection has ended, once all is read.
  public func isOver() -> Bool {
    while more() {}
    return true
  }

  /// Ends what is sent; what is answered is read on.
  public func endSending() { shutdown(descriptor, Int32(SHUT_WR)) }

  /// Closes the connection before anything has come.
  public func end() { shutdown(descriptor, Int32(SHUT_RDWR)) }

  /// All that comes to the end, or of a stream that has none its beginning; nil when it does not end.
  public func rest() -> [UInt8]? {
    while true {
      if String(decoding: bytes.prefix(1000), as: UTF8.self).contains("text/event-stream") { return bytes }
      errno = 0
      guard !more() else { continue }
      return errno == EAGAIN ? nil : bytes
    }
  }
}
