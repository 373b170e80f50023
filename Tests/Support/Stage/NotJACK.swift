import Foundation
import Glibc

/// Something in a JACK server's place that is none: a listener on the server's socket.
public final class NotJACK: Sendable {
  /// Its behaviour towards a client that connects.
  public enum Answer: Sendable {
    case silence
    case goodbye
    case garbage
  }

  private let listener: Int32
  private let path: String

  /// Listens where `server` would; nil when that cannot be.
  public init?(inPlaceOf server: JackServer, _ answer: Answer) {
    path = server.socketPath
    listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let result = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard result == 0, listen(listener, 5) == 0 else { return nil }
    guard answer != .silence else { return }
    let thread = Thread { [listener] in
      while true {
        let connection = accept(listener, nil, nil)
        guard connection >= 0 else { return }
        if answer == .garbage {
          let garbage = (0..<4096).map { UInt8(truncatingIfNeeded: $0 &* 167) }
          _ = garbage.withUnsafeBytes {
            send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
          }
        }
        close(connection)
      }
    }
    thread.start()
  }

  /// Goes away.
  public func end() {
    shutdown(listener, Int32(SHUT_RDWR))
    close(listener)
    unlink(path)
  }
}
