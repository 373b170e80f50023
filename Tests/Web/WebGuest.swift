import Glibc

/// The bare end of a connection, which waits for ten seconds at most.
public final class WebGuest {
  private let descriptor: Int32
  private var bytes: [UInt8] = []

  /// Nobody is there.
  public struct Refused: Error {}

  /// What a server has said.
  public struct Answer: Sendable {
    /// HTTP's number; 0 for none.
    public let status: Int
    /// What comes before the body.
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

  /// Somebody who connects with a port of this machine, or of that address of it.
  public convenience init(port: UInt16, address: UInt32 = 0x7F00_0001) throws {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    self.init(descriptor)
    var form = sockaddr_in()
    form.sin_family = sa_family_t(AF_INET)
    form.sin_port = port.bigEndian
    form.sin_addr.s_addr = address.bigEndian
    let code = withUnsafePointer(to: &form) { form in
      form.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard code == 0 else { throw Refused() }
  }

  private init(_ descriptor: Int32) {
    self.descriptor = descriptor
    var time = timeval(tv_sec: 10, tv_usec: 0)
    for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
      setsockopt(descriptor, SOL_SOCKET, option, &time, socklen_t(MemoryLayout.size(ofValue: time)))
    }
  }

  deinit { close(descriptor) }

  /// Sends a text; false when nobody takes it.
  @discardableResult public func send(_ text: String) -> Bool { send(Array(text.utf8)) }

  /// Sends bytes; false when nobody takes them.
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
