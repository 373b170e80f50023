import Glibc
import Host

/// The socket that OSC comes to, and goes from: an answer goes to the address of the request.
///
/// Thread-safe. Realtime-safe: no.
public final class OSCSocket: Sendable {
  /// Where it is.
  public let address: ListenAddress
  let descriptor: Int32

  /// The longest datagram that UDP has, in bytes.
  static let longest = 65_536

  /// Opens a socket at an address of this machine's.
  ///
  /// The corresponding C functions are `socket` and `bind`. Throws when another program has the port, or no
  /// interface the address.
  public init(_ listen: ListenAddress) throws(OSCError) {
    let place = "OSC cannot be received at \(listen)"
    guard let address = SocketAddress(host: listen.host, port: listen.port) else {
      throw OSCError(place, errno: EINVAL, "choose an address in numbers with --osc")
    }
    let kind = Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
    let descriptor = socket(address.family, kind, 0)
    guard descriptor >= 0 else { throw OSCError(place, errno: errno, "end other programs, and try again") }
    guard address.withPointer({ bind(descriptor, $0, $1) }) == 0 else {
      let number = errno
      close(descriptor)
      throw OSCError(place, errno: number, "choose another port, or an address of this machine's, with --osc")
    }
    self.address = listen
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }

  /// Whether datagrams to an address arrive at this socket.
  func isOwn(_ other: SocketAddress) -> Bool { other.port == address.port && other.isOfThisMachine }

  /// The next datagram that has arrived, which is written to `buffer`, and from where; `nil` where none has.
  ///
  /// The corresponding C function is `recvfrom`.
  func receive(into buffer: inout [UInt8]) -> (bytes: [UInt8], sender: SocketAddress)? {
    let (count, sender) = SocketAddress.written { address, length in
      recvfrom(descriptor, &buffer, buffer.count, 0, address, length)
    }
    guard count >= 0, let sender else { return nil }
    return (Array(buffer.prefix(count)), sender)
  }

  /// Sends a datagram, unless there is no room for it.
  ///
  /// The corresponding C function is `sendto`.
  func send(_ bytes: [UInt8], to address: SocketAddress) {
    address.withPointer { pointer, length in
      _ = sendto(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT), pointer, length)
    }
  }
}
