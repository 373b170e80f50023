import Glibc
import Settings

/// An address as the system's calls have it.
struct SocketAddress: Hashable {
  /// The family, the port and the address, as the structure of its family has them.
  private let bytes: [UInt8]

  /// The address that somebody has given.
  init(_ address: ListenAddress) {
    if address.isVersion6 {
      var form = sockaddr_in6()
      form.sin6_family = sa_family_t(AF_INET6)
      form.sin6_port = address.port.bigEndian
      inet_pton(AF_INET6, address.host, &form.sin6_addr)
      bytes = withUnsafeBytes(of: form) { Array($0) }
    } else {
      var form = sockaddr_in()
      form.sin_family = sa_family_t(AF_INET)
      form.sin_port = address.port.bigEndian
      inet_pton(AF_INET, address.host, &form.sin_addr)
      bytes = withUnsafeBytes(of: form) { Array($0) }
    }
  }

  /// The address that the system has written at a place; `nil` where it is of no family of the Internet's.
  init?(_ pointer: UnsafePointer<sockaddr>?) {
    guard let pointer else { return nil }
    switch Int32(pointer.pointee.sa_family) {
    case AF_INET: bytes = Array(UnsafeRawBufferPointer(start: pointer, count: MemoryLayout<sockaddr_in>.size))
    case AF_INET6:
      bytes = Array(UnsafeRawBufferPointer(start: pointer, count: MemoryLayout<sockaddr_in6>.size))
    default: return nil
    }
  }

  /// Has a call take it.
  func withPointer<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
    // In memory that is aligned as the system expects it.
    var storage = sockaddr_storage()
    withUnsafeMutableBytes(of: &storage) { $0.copyBytes(from: bytes) }
    return withUnsafePointer(to: &storage) { storage in
      storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(bytes.count)) }
    }
  }

  private var isVersion6: Bool { bytes.count == MemoryLayout<sockaddr_in6>.size }

  /// The address in numbers; `nil` where the system has no words for it. The corresponding C function is `getnameinfo`.
  var host: String? {
    withPointer { pointer, size in
      var name = [CChar](repeating: 0, count: Int(NI_MAXHOST))
      guard getnameinfo(pointer, size, &name, socklen_t(name.count), nil, 0, NI_NUMERICHOST) == 0 else {
        return nil
      }
      return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
  }

  /// The address and the port as `/proc/net/tcp` has them: words of the machine's own order, in hexadecimal digits.
  var asInTable: String {
    let address = isVersion6 ? bytes[8..<24] : bytes[4..<8]
    let words = stride(from: address.startIndex, to: address.endIndex, by: 4).map { start in
      let word = (0..<4).reduce(UInt32(0)) { word, place in
        word | UInt32(bytes[start + place]) << (8 * UInt32(Self.isLittleEndian ? place : 3 - place))
      }
      return Self.hexadecimal(UInt64(word), digits: 8)
    }
    let port = UInt64(bytes[2]) << 8 | UInt64(bytes[3])
    return words.joined() + ":" + Self.hexadecimal(port, digits: 4)
  }

  /// The table in which the system has the connections of its family.
  var table: String { isVersion6 ? "/proc/net/tcp6" : "/proc/net/tcp" }

  private static let isLittleEndian = UInt16(1).littleEndian == 1

  private static func hexadecimal(_ number: UInt64, digits: Int) -> String {
    let text = String(number, radix: 16, uppercase: true)
    return String(repeating: "0", count: max(0, digits - text.count)) + text
  }
}
