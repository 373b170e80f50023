import Foundation
import Glibc
import Synchronization

/// Something in a JACK server's place that is none: a listener on the server's socket.
public final class NotJACK: Sendable {
  /// Its behaviour towards a client that connects.
  public enum Answer: Sendable {
    case silence
    case goodbye
    case garbage
  }

  private let open: Mutex<SharedSocket?>
  private let path: String

  /// Listens where `server` would; nil when that cannot be.
  public init?(inPlaceOf server: JackServer, _ answer: Answer) {
    path = server.socketPath
    let listener = SharedSocket(socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0))
    open = Mutex(listener)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let result = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener.descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard result == 0, listen(listener.descriptor, 5) == 0 else { return nil }
    guard answer != .silence else { return }
    let thread = Thread {
      while let connection = listener.accept() {
        if answer == .garbage {
          let garbage = (0..<4096).map { UInt8(truncatingIfNeeded: $0 &* 167) }
          _ = garbage.withUnsafeBytes {
            send(connection.descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
          }
        }
      }
    }
    thread.start()
  }

  /// Goes away, also for those that it has not taken in.
  public func end() {
    open.withLock { listener in
      listener?.end()
      listener = nil
    }
    unlink(path)
  }
}
