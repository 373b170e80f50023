import Glibc
import Host

/// The sockets of this machine from which a datagram with a given sender can have come.
///
/// The port of a program that has ended is free for every user of the machine, so a local address proves
/// nothing by itself. The kernel's table of UDP sockets has the owner, and its inode distinguishes one socket
/// from the next at the same port.
///
/// Thread-safe. Realtime-safe: no; each call reads a table of the kernel's.
enum DatagramSource {
  /// A socket, and the user that opened it.
  struct Holder: Hashable, Sendable {
    let inode: UInt64
    let user: UInt32
  }

  /// The sockets that have that address as their own, or all addresses; `nil` where the system does not
  /// report them.
  static func holders(of address: SocketAddress) -> Set<Holder>? {
    let own = Array(address.addressBytes)
    guard address.family == AF_INET else { return holders(in: "/proc/net/udp6", own, port: address.port) }
    // A socket of version 6 sends as one of version 4 only where none of version 4 has the port.
    let found = holders(in: "/proc/net/udp", own, port: address.port)
    guard found?.isEmpty == true else { return found }
    let mapped = [UInt8](repeating: 0, count: 10) + [255, 255] + own
    return holders(in: "/proc/net/udp6", mapped, port: address.port) ?? []
  }

  private static func holders(in table: String, _ address: [UInt8], port: UInt16) -> Set<Holder>? {
    guard let table = fopen(table, "re") else { return nil }
    defer { fclose(table) }
    var found: Set<Holder> = []
    var line = [CChar](repeating: 0, count: 512)
    while fgets(&line, Int32(line.count), table) != nil {
      let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
      if let holder = holder(of: address, port: port, in: text) { found.insert(holder) }
    }
    return found
  }

  /// The socket that a line of the table is about; `nil` where it has another port, or another address.
  ///
  /// The columns are the number, both addresses, the state, two pairs with a colon, a count, the user, a time and the
  /// inode. An address is words of the machine's own order, in hexadecimal digits.
  static func holder(of address: [UInt8], port: UInt16, in line: String) -> Holder? {
    let columns = line.split(whereSeparator: \.isWhitespace)
    guard columns.count > 9 else { return nil }
    let parts = columns[1].split(separator: ":")
    guard parts.count == 2, UInt16(parts[1], radix: 16) == port, parts[0].utf8.count == 2 * address.count,
      let user = UInt32(columns[7]), let inode = UInt64(columns[9])
    else { return nil }
    var bytes: [UInt8] = []
    var digits = parts[0]
    while !digits.isEmpty {
      guard let word = UInt32(digits.prefix(8), radix: 16) else { return nil }
      bytes += withUnsafeBytes(of: word, Array.init)
      digits = digits.dropFirst(8)
    }
    guard bytes == address || bytes.allSatisfy({ $0 == 0 }) else { return nil }
    return Holder(inode: inode, user: user)
  }
}
