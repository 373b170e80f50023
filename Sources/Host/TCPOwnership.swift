import Glibc

/// Asks the kernel to which user the other end of a TCP connection within this machine belongs.
///
/// TCP has no `SO_PEERCRED`. The kernel's socket diagnosis (netlink, `SOCK_DIAG`) finds the one socket that has both
/// addresses of the connection, and no other socket can have them. It needs no privilege, and takes some microseconds.
///
/// Not thread-safe. Realtime-safe: no.
public final class TCPOwnership {
  /// The owner of the other end of a connection.
  public enum Owner: Sendable, Hashable {
    /// To that user.
    case user(UInt32)
    /// Unknown: the other end is closed, or the kernel does not report it.
    case unknown
  }

  private let descriptor: Int32
  private var sequence: UInt32 = 0

  /// Opens a netlink socket; `nil` where the kernel does not diagnose sockets, or does not name this user.
  ///
  /// The corresponding C function is `socket`.
  public init?() {
    guard getuid() != Self.overflowUser else { return nil }
    let kind = Int32(SOCK_RAW.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    descriptor = socket(Self.netlink, kind, Self.diagnosis)
    guard descriptor >= 0 else { return nil }
    // A list of all sockets in no state: the kernel answers it by an error where it has no diagnosis of TCP.
    let list = request(AF_INET, flags: 0x301, states: 0, [UInt8](repeating: 0, count: 40) + Self.anyCookie)
    guard let (kind, answer) = answer(to: list), kind == 3, answer.prefix(4).allSatisfy({ $0 == 0 }) else {
      return nil
    }
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
  }

  /// Asks for the owner of the other end of a connection that this process has accepted.
  ///
  /// - Parameters:
  ///   - connection: The system's number for this end.
  ///   - peer: The address of the other end.
  /// - Returns: The owner. An end that its program has closed has no owner: it is ``Owner/unknown``.
  public func ownerOfPeer(of connection: Int32, at peer: SocketAddress) -> Owner {
    let (code, local) = SocketAddress.written { getsockname(connection, $0, $1) }
    guard code == 0, let local, local.family == peer.family else { return .unknown }
    let place =
      Self.bytes(peer.port.bigEndian) + Self.bytes(local.port.bigEndian) + Self.padded(peer.addressBytes)
      + Self.padded(local.addressBytes)
    let question = request(
      peer.family, flags: 1, states: .max, place + Self.bytes(UInt32(0)) + Self.anyCookie)
    guard let (kind, answer) = answer(to: question), kind == Self.byFamily, answer.count >= 72 else {
      return .unknown
    }
    // A socket that its program has closed has no inode; the kernel reports it as user 0's.
    let (state, found, inode) = (answer[1], answer[4..<40], Self.number(answer[68..<72]))
    guard Self.openStates.contains(state), inode != 0,
      found.prefix(4).elementsEqual(place.prefix(4)),
      Self.plain(found.dropFirst(4).prefix(16), answer[0]) == Array(peer.unmappedBytes),
      Self.plain(found.dropFirst(20).prefix(16), answer[0]) == Array(local.unmappedBytes),
      isConnected(connection)
    else { return .unknown }
    return .user(Self.number(answer[64..<68]))
  }

  /// Whether this end has not been reset. As long as it has not, no later socket can have taken the place of the one
  /// that it was accepted from. The corresponding C function is `getsockopt` with `TCP_INFO`.
  private func isConnected(_ connection: Int32) -> Bool {
    var state: UInt8 = 0
    var size = socklen_t(1)
    return getsockopt(connection, Int32(IPPROTO_TCP), 11, &state, &size) == 0
      && (state == Self.established || state == Self.closeWait)
  }
}

// MARK: Messages

extension TCPOwnership {
  private static let netlink: Int32 = 16
  private static let diagnosis: Int32 = 4
  private static let byFamily: UInt16 = 20
  private static let established: UInt8 = 1
  private static let closeWait: UInt8 = 8
  /// Of the other end: established, and the two states of one that sends nothing more and still reads.
  private static let openStates: Set<UInt8> = [established, 4, 5]
  /// The user that a kernel names in place of those it must not name.
  private static let overflowUser: UInt32 = 65534
  private static let anyCookie = [UInt8](repeating: 0xFF, count: 8)

  /// `nlmsghdr` and `inet_diag_req_v2` of `linux/inet_diag.h`, in the machine's own order but for ports and addresses.
  private func request(_ family: Int32, flags: UInt16, states: UInt32, _ place: [UInt8]) -> [UInt8] {
    sequence &+= 1
    return Self.bytes(UInt32(72)) + Self.bytes(Self.byFamily) + Self.bytes(flags) + Self.bytes(sequence)
      + Self.bytes(UInt32(0)) + [UInt8(family), UInt8(IPPROTO_TCP), 0, 0] + Self.bytes(states) + place
  }

  /// The kind and the content of the kernel's answer, which is there when `send` returns; `nil` for none.
  private func answer(to request: [UInt8]) -> (kind: UInt16, content: [UInt8])? {
    guard send(descriptor, request, request.count, 0) == request.count else { return nil }
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
      if count < 0, errno == EINTR { continue }
      guard count >= 16 else { return nil }
      let length = Int(Self.number(buffer[0..<4]))
      // The answer to an earlier request may still be there.
      guard Self.number(buffer[8..<12]) == sequence else { continue }
      guard (16...count).contains(length) else { return nil }
      let kind = buffer.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: 4, as: UInt16.self) }
      return (kind, Array(buffer[16..<length]))
    }
  }

  private static func bytes(_ value: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: value) { Array($0) }
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    bytes.withUnsafeBytes { $0.loadUnaligned(as: UInt32.self) }
  }

  private static func padded(_ address: ArraySlice<UInt8>) -> [UInt8] {
    address + [UInt8](repeating: 0, count: 16 - address.count)
  }

  /// An address as the kernel has written it in 16 bytes, whichever family its socket is of.
  private static func plain(_ bytes: ArraySlice<UInt8>, _ family: UInt8) -> [UInt8] {
    Int32(family) == AF_INET ? Array(bytes.prefix(4)) : Array(SocketAddress.unmapped(bytes))
  }
}
