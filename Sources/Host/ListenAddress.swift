import Glibc

/// Where a program listens: an address of this machine, and a port.
public struct ListenAddress: Sendable, Hashable {
  /// The address in numbers, as the system writes it: `127.0.0.1` or `::1`.
  public let host: String
  /// The port, from 1 on.
  public let port: UInt16

  /// A port of this machine that no other machine reaches.
  public static func loopback(_ port: UInt16) -> ListenAddress {
    ListenAddress(host: "127.0.0.1", port: port)
  }

  private init(host: String, port: UInt16) {
    self.host = host
    self.port = port
  }

  /// Reads `PORT`, which is of this machine alone, `ADDRESS:PORT`, or `[ADDRESS]:PORT` where that is of IP version 6.
  ///
  /// An address is in numbers, or `localhost`: the address of a name may change. `nil` for anything else.
  public init?(_ text: String) {
    guard let colon = text.lastIndex(of: ":") else {
      guard let port = ListenAddress.port(text[...]) else { return nil }
      self = .loopback(port)
      return
    }
    let host = text[..<colon]
    guard let port = ListenAddress.port(text[text.index(after: colon)...]) else { return nil }
    if host == "localhost" {
      self = .loopback(port)
    } else if host.hasPrefix("["), host.hasSuffix("]") {
      guard let host = ListenAddress.numbers(String(host.dropFirst().dropLast()), AF_INET6) else {
        return nil
      }
      self.init(host: host, port: port)
    } else {
      guard let host = ListenAddress.numbers(String(host), AF_INET) else { return nil }
      self.init(host: host, port: port)
    }
  }

  /// Whether the address is one of IP version 6.
  public var isVersion6: Bool { host.contains(":") }

  /// Whether no other machine can reach it.
  public var isLoopback: Bool { host.hasPrefix("127.") || host == "::1" }

  /// Whether it stands for all addresses that the machine has.
  public var isAny: Bool { host == "0.0.0.0" || host == "::" }

  /// The address as the system writes it; `nil` where it is none of the family. The corresponding C functions are
  /// `inet_pton` and `inet_ntop`.
  public static func numbers(_ text: String, _ family: Int32) -> String? {
    // A byte of 0 would end it for C.
    guard text.utf8.count < 64, !text.utf8.contains(0) else { return nil }
    var bytes = in6_addr()
    guard inet_pton(family, text, &bytes) == 1 else { return nil }
    var written = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    guard inet_ntop(family, &bytes, &written, socklen_t(written.count)) != nil else { return nil }
    return String(decoding: written.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  private static func port(_ text: Substring) -> UInt16? {
    guard (1...5).contains(text.utf8.count),
      text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
      text.first != "0"
    else { return nil }
    return UInt16(text)
  }
}

extension ListenAddress: CustomStringConvertible {
  /// The address and the port, as ``init(_:)`` reads them.
  public var description: String { isVersion6 ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
