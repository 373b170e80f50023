import Foundation
import Glibc
import Synchronization

/// The server's end of a WebSocket, by the RFC and without the project's code: the test says what is sent.
///
/// Each connection gets a thread of its own, on which nothing waits for longer than a minute.
public final class FakeArdour: Sendable {
  /// Where it listens.
  public let port: UInt16
  private let listener: SharedSocket
  private let guests = Mutex<[Guest]>([])

  /// How many have connected.
  public var connections: Int { guests.withLock { $0.count } }

  /// Listens at a port of this machine's, and has `script` talk with each that connects.
  ///
  /// - Parameters:
  ///   - wanted: The port; 0 for any that is free.
  ///   - script: The talk, on a thread of its own.
  public init(at wanted: UInt16 = 0, _ script: @escaping @Sendable (Guest) -> Void) {
    listener = SharedSocket(socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0))
    let listening = listener.descriptor
    // The connections of a test before may not be quite over.
    var isReused: Int32 = 1
    setsockopt(listening, SOL_SOCKET, SO_REUSEADDR, &isReused, socklen_t(MemoryLayout<Int32>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = wanted.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    port = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        guard bind(listening, $0, size) == 0, listen(listening, 8) == 0,
          getsockname(listening, $0, &size) == 0
        else { preconditionFailure("no port: \(errno)") }
      }
      return UInt16(bigEndian: $0.pointee.sin_port)
    }
    Thread.detachNewThread { [listener, weak self] in
      while let guest = listener.accept().map(Guest.init) {
        guard let self else { return }
        self.guests.withLock { $0.append(guest) }
        Thread.detachNewThread {
          script(guest)
          guest.end()
        }
      }
    }
  }

  deinit {
    listener.end()
    for guest in guests.withLock({ $0 }) { guest.end() }
  }

  /// One that has connected.
  public final class Guest: Sendable {
    private let socket: SharedSocket
    private let unread = Mutex<[UInt8]>([])

    init(_ socket: SharedSocket) {
      self.socket = socket
      var patience = timeval(tv_sec: 60, tv_usec: 0)
      setsockopt(
        socket.descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    }

    func end() { socket.end() }

    /// The request, up to its empty line.
    public func head() -> String {
      var head: [UInt8] = []
      while !head.suffix(4).elementsEqual("\r\n\r\n".utf8), let byte = next() { head.append(byte) }
      return String(decoding: head, as: UTF8.self)
    }

    /// Answers the request as a server does; `proof` stands for another one.
    public func welcome(proof: String? = nil) {
      let head = head()
      let key =
        head.split(separator: "\r\n").first { $0.hasPrefix("Sec-WebSocket-Key: ") }?.dropFirst(19) ?? ""
      let accept = proof ?? Self.accept(String(key))
      raw(
        Array(
          "HTTP/1.1 101 Switching Protocols\r\nUpgrade: WebSocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: \(accept)\r\n\r\n"
            .utf8))
    }

    /// The hash is by another program.
    private static func accept(_ key: String) -> String {
      let process = Process()
      process.executableURL = URL(filePath: "/usr/bin/sha1sum")
      let (input, output) = (Pipe(), Pipe())
      (process.standardInput, process.standardOutput) = (input, output)
      guard (try? process.run()) != nil else { return "sha1sum is missing" }
      input.fileHandleForWriting.write(Data((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8))
      try? input.fileHandleForWriting.close()
      let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile().prefix(40), as: UTF8.self)
      process.waitUntilExit()
      let digits = Array(text)
      let bytes = stride(from: 0, to: digits.count - 1, by: 2).compactMap {
        UInt8(String(digits[$0...$0 + 1]), radix: 16)
      }
      return Data(bytes).base64EncodedString()
    }

    /// Sends a text, in so many fragments.
    public func text(_ text: String, fragments: Int = 1) {
      var rest = Array(text.utf8)[...]
      for index in 0..<fragments {
        let piece = index == fragments - 1 ? rest : rest.prefix(text.utf8.count / fragments)
        rest = rest.dropFirst(piece.count)
        raw([(index == fragments - 1 ? 0x80 : 0) | (index == 0 ? 1 : 0), UInt8(piece.count)] + piece)
      }
    }

    /// Sends bytes as they are.
    public func raw(_ bytes: [UInt8]) { _ = send(socket.descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) }

    /// A frame of the client's.
    public struct Frame {
      /// The kind: 1 is a text, 8 a good-bye, 10 the answer to a ping.
      public let code: UInt8
      /// The content.
      public let payload: [UInt8]

      /// The same as a text.
      public var text: String { String(decoding: payload, as: UTF8.self) }
    }

    /// The next frame that the client has sent; `nil` where none came, or it had no mask.
    public func frame() -> Frame? {
      guard let first = next(), let second = next(), second & 0x80 != 0 else { return nil }
      var size = Int(second & 0x7F)
      if size == 126, let high = next(), let low = next() { size = Int(high) << 8 | Int(low) }
      let mask = (0..<4).compactMap { _ in next() }
      let payload = (0..<size).compactMap { index in next().map { $0 ^ mask[index % 4] } }
      return payload.count == size ? Frame(code: first & 0x0F, payload: payload) : nil
    }

    private func next() -> UInt8? {
      unread.withLock { unread in
        if unread.isEmpty {
          var buffer = [UInt8](repeating: 0, count: 4096)
          let count = recv(socket.descriptor, &buffer, buffer.count, 0)
          guard count > 0 else { return nil }
          unread = Array(buffer.prefix(count))
        }
        return unread.removeFirst()
      }
    }
  }
}
