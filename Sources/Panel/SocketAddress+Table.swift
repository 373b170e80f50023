import Glibc
import Host

extension SocketAddress {
  /// The address and the port as `/proc/net/tcp` has them: words of the machine's own order, in hexadecimal digits.
  var asInTable: String {
    let words = stride(from: addressBytes.startIndex, to: addressBytes.endIndex, by: 4).map { start in
      let word = (0..<4).reduce(UInt32(0)) { word, place in
        word | UInt32(bytes[start + place]) << (8 * UInt32(Self.isLittleEndian ? place : 3 - place))
      }
      return Self.hexadecimal(UInt64(word), digits: 8)
    }
    return words.joined() + ":" + Self.hexadecimal(UInt64(port), digits: 4)
  }

  /// The table in which the system has the connections of its family.
  var table: String { family == AF_INET6 ? "/proc/net/tcp6" : "/proc/net/tcp" }

  private static let isLittleEndian = UInt16(1).littleEndian == 1

  private static func hexadecimal(_ number: UInt64, digits: Int) -> String {
    let text = String(number, radix: 16, uppercase: true)
    return String(repeating: "0", count: max(0, digits - text.count)) + text
  }
}
