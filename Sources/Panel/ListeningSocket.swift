import Glibc
import Host
import Settings

/// A socket at an address of this machine, to which others connect.
///
/// Realtime-safe: no.
struct ListeningSocket: ~Copyable {
  /// The system's number for it.
  let descriptor: Int32

  /// How many may wait to be taken in.
  private static let backlog: Int32 = 16
  /// How much of what somebody does not read the system keeps for each, in bytes.
  private static let unread: Int32 = 64 * 1024
  /// How long a machine that has gone may be taken for one that is slow, in milliseconds.
  private static let patience: Int32 = 10_000
  /// `TCP_USER_TIMEOUT`, which C shows to those alone who ask for more than POSIX.
  private static let userTimeout: Int32 = 18

  /// Listens at `address`. The corresponding C functions are `socket`, `bind` and `listen`.
  init(at address: ListenAddress) throws(PanelError) {
    let advice = "give --panel another address or port, or \"off\""
    let place = SocketAddress(host: address.host, port: address.port)
    let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
    descriptor = socket(place?.family ?? AF_UNSPEC, kind, 0)
    guard descriptor >= 0, let place else {
      throw PanelError("there is no panel at \(address)", errno: errno, advice)
    }
    for (level, option, value) in [
      (SOL_SOCKET, SO_REUSEADDR, Int32(1)), (SOL_SOCKET, SO_SNDBUF, Self.unread),
      (Int32(IPPROTO_TCP), Self.userTimeout, Self.patience),
    ] {
      var value = value
      setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout.size(ofValue: value)))
    }
    let code = place.withPointer { pointer, size in
      Glibc.bind(descriptor, pointer, size) == 0 && listen(descriptor, Self.backlog) == 0 ? 0 : errno
    }
    guard code == 0 else {
      close(descriptor)
      throw PanelError("there is no panel at \(address)", errno: code, advice)
    }
  }

  /// Gives the socket away, to somebody who closes it.
  consuming func release() -> Int32 {
    let descriptor = descriptor
    discard self
    return descriptor
  }

  deinit { close(descriptor) }
}
