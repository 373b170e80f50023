import Glibc
import Host

/// Which user of this machine is at the other end of a connection within it.
///
/// Thread-safe. Realtime-safe: no; it reads a table of the kernel's.
enum LocalUser {
  /// Whether the system tells.
  static var isTold: Bool { access("/proc/net/tcp", R_OK) == 0 }

  /// The user whose socket has that address; `nil` where there is none.
  static func owner(of address: SocketAddress) -> UInt32? {
    guard let table = fopen(address.table, "re") else { return nil }
    defer { fclose(table) }
    var line = [CChar](repeating: 0, count: 512)
    while fgets(&line, Int32(line.count), table) != nil {
      let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
      if let user = owner(of: address.asInTable, in: text) { return user }
    }
    return nil
  }

  /// The user that a line of the table has for an address; `nil` where it is about another.
  ///
  /// The columns are the number, both addresses, the state, two pairs with a colon, a count, and the user.
  static func owner(of address: String, in line: String) -> UInt32? {
    let columns = line.split(whereSeparator: \.isWhitespace)
    guard columns.count > 7, columns[1] == address else { return nil }
    return UInt32(columns[7])
  }
}
