import Glibc
import Host

/// A socket at an address of this machine, to which others connect.
///
/// Not thread-safe. Realtime-safe: no.
struct ListeningSocket: ~Copyable {
  /// The system's number for it.
  let descriptor: Int32

  /// How many may wait to be taken in.
  private static let backlog: Int32 = 16
  /// How many bytes that a slow reader has not read the system keeps for each.
  private static let unread: Int32 = 64 * 1024
  /// How long a machine that has gone may be taken for one that is slow, in milliseconds.
  private static let patience: Int32 = 10_000
  /// `TCP_USER_TIMEOUT`, which C declares only with GNU extensions.
  private static let userTimeout: Int32 = 18

  /// Listens at `address`. The corresponding C functions are `socket`, `bind` and `listen`.
  init(at address: ListenAddress) throws(PanelError) { descriptor = try Self.opened(at: address) }

  private static func opened(at address: ListenAddress) throws(PanelError) -> Int32 {
    let advice = "give --panel another address or port, or \"off\""
    let place = SocketAddress(host: address.host, port: address.port)
    let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
    let descriptor = socket(place?.family ?? AF_UNSPEC, kind, 0)
    guard descriptor >= 0, let place else {
      throw PanelError("there is no panel at \(address)", errno: errno, advice)
    }
    for (level, option, value) in [
      (SOL_SOCKET, SO_REUSEADDR, Int32(1)), (SOL_SOCKET, SO_SNDBUF, unread),
      (Int32(IPPROTO_TCP), userTimeout, patience),
    ] {
      Descriptor.set(option, at: level, of: descriptor, to: value)
    }
    let code = place.withPointer { pointer, size in
      Glibc.bind(descriptor, pointer, size) == 0 && listen(descriptor, backlog) == 0 ? 0 : errno
    }
    guard code != 0 else { return descriptor }
    close(descriptor)
    guard code == EADDRNOTAVAIL else {
      throw PanelError("there is no panel at \(address)", errno: code, advice)
    }
    throw PanelError(
      "there is no panel at \(address) yet", errno: code, "it opens when this machine has that address")
  }

  /// The next connection, with the address of its other end; `nil` where there is none for now. The corresponding C
  /// function is `accept`.
  func accept() -> (descriptor: Int32, peer: SocketAddress)? {
    while true {
      let (connection, peer) = SocketAddress.written { Glibc.accept(descriptor, $0, $1) }
      guard connection >= 0 else {
        if errno == ECONNABORTED || errno == EINTR { continue }
        // Without a descriptor for it the connection stays where it is, which may be so for a while.
        if errno != EAGAIN { usleep(100_000) }
        return nil
      }
      _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
      _ = fcntl(connection, F_SETFL, fcntl(connection, F_GETFL) | O_NONBLOCK)
      if let peer { return (connection, peer) }
      close(connection)
    }
  }

  deinit { close(descriptor) }
}
