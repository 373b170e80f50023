import Glibc

/// An address and a port of the Internet's, as the system's calls have them.
///
/// Thread-safe. Realtime-safe: no.
public struct SocketAddress: Sendable, Hashable {
  /// The kernel's `sockaddr`, as many bytes as that of its family has.
  public private(set) var bytes: [UInt8]

  private init(_ form: UnsafePointer<addrinfo>) {
    bytes = Array(UnsafeRawBufferPointer(start: form.pointee.ai_addr, count: Int(form.pointee.ai_addrlen)))
  }

  /// Where a host is; of several addresses the first of version 4, which older programs listen at.
  ///
  /// The corresponding C function is `getaddrinfo`. It resolves numbers by itself, and waits for a name
  /// server for names.
  ///
  /// `nil` when there is no such host.
  ///
  /// - Parameters:
  ///   - host: An address in numbers, or a name.
  ///   - port: The port.
  public init?(host: String, port: UInt16) {
    var hints = addrinfo()
    hints.ai_flags = AI_NUMERICSERV
    hints.ai_socktype = Int32(SOCK_DGRAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(host, "\(port)", &hints, &list) == 0 else { return nil }
    defer { freeaddrinfo(list) }
    let found = sequence(first: list) { $0?.pointee.ai_next }.prefix { $0 != nil }.compactMap(\.self)
    guard let one = found.first(where: { $0.pointee.ai_family == AF_INET }) ?? found.first else { return nil }
    self.init(one)
  }

  /// The address that the system has written at a place; `nil` where it is of no family of the Internet's.
  public init?(_ pointer: UnsafePointer<sockaddr>?) {
    guard let pointer else { return nil }
    let size: Int
    switch Int32(pointer.pointee.sa_family) {
    case AF_INET: size = MemoryLayout<sockaddr_in>.size
    case AF_INET6: size = MemoryLayout<sockaddr_in6>.size
    default: return nil
    }
    bytes = Array(UnsafeRawBufferPointer(start: pointer, count: size))
  }

  /// The address that a call writes through a pointer, with its length; `nil` when it writes none.
  ///
  /// - Parameter call: The call, such as `recvfrom` or `getsockname`.
  /// - Returns: The address beside the call's own result.
  public static func written<Result>(
    by call: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Result
  ) -> (result: Result, address: SocketAddress?) {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    return withUnsafeMutablePointer(to: &storage) { storage in
      storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        let result = call(pointer, &length)
        return (result, SocketAddress(pointer))
      }
    }
  }

  /// `AF_INET` or `AF_INET6`.
  public var family: Int32 { Int32(bytes.withUnsafeBytes { $0.loadUnaligned(as: sa_family_t.self) }) }

  /// The bytes of the address itself, without its port: 4 or 16.
  public var addressBytes: ArraySlice<UInt8> { family == AF_INET ? bytes[4..<8] : bytes[8..<24] }

  /// The same; of an address of version 4 that is written as one of version 6, its 4 bytes.
  public var unmappedBytes: ArraySlice<UInt8> { Self.unmapped(addressBytes) }

  /// The last 4 bytes of `::ffff:a.b.c.d`; all of any other address.
  static func unmapped(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let isMapped =
      bytes.count == 16 && bytes.prefix(10).allSatisfy { $0 == 0 }
      && bytes.dropFirst(10).prefix(2).allSatisfy { $0 == 0xFF }
    return isMapped ? bytes.suffix(4) : bytes
  }

  /// The port, which both families have at the same place.
  public var port: UInt16 { UInt16(bytes[2]) << 8 | UInt16(bytes[3]) }

  /// The same machine, at another port.
  public func at(port: UInt16) -> SocketAddress {
    var other = self
    withUnsafeBytes(of: port.bigEndian) { other.bytes.replaceSubrange(2..<4, with: $0) }
    return other
  }

  /// The address in numbers; `nil` where the system has no words for it. The corresponding C function is
  /// `getnameinfo`.
  public var host: String? {
    withPointer { pointer, size in
      var name = [CChar](repeating: 0, count: Int(NI_MAXHOST))
      guard getnameinfo(pointer, size, &name, socklen_t(name.count), nil, 0, NI_NUMERICHOST) == 0 else {
        return nil
      }
      return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
  }

  /// Has a call take it.
  public func withPointer<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
    // In memory that is aligned as the system expects it.
    var storage = sockaddr_storage()
    withUnsafeMutableBytes(of: &storage) { $0.copyBytes(from: bytes) }
    return withUnsafePointer(to: &storage) { storage in
      storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(bytes.count)) }
    }
  }
}
