import Glibc

// Which machine an address is of.

extension SocketAddress {
  /// Whether it is an address of the loopback interface, which no other machine can send from: the kernel
  /// drops datagrams from outside with such a sender.
  public var isLoopback: Bool {
    switch Array(addressBytes) {
    case let bytes where bytes.count == 4: bytes[0] == 127
    // As a socket of version 6 shows one of version 4.
    case let bytes where bytes.starts(with: Self.mapped): bytes[12] == 127
    case let bytes: bytes.dropLast().allSatisfy { $0 == 0 } && bytes.last == 1
    }
  }

  /// Whether it is an address of IPv6 for one cable alone.
  public var isLinkLocalOfVersion6: Bool {
    let bytes = Array(addressBytes)
    return bytes.count == 16 && bytes[0] == 0xFE && bytes[1] & 0xC0 == 0x80
  }

  /// The address of this machine's from which that one is reached, at any port.
  ///
  /// The corresponding C functions are `connect`, which sends nothing, and `getsockname`.
  public var ownAddress: SocketAddress? {
    let descriptor = socket(family, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    guard withPointer({ connect(descriptor, $0, $1) }) == 0 else { return nil }
    let (code, own) = SocketAddress.written { getsockname(descriptor, $0, $1) }
    return code == 0 ? own?.at(port: 0) : nil
  }

  /// Whether it is an address of this machine's: that is reached from itself.
  public var isOfThisMachine: Bool { isLoopback || addressBytes == ownAddress?.addressBytes }

  private static let mapped = [UInt8](repeating: 0, count: 10) + [255, 255]
}
