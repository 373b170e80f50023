/// Where a session manager listens: from the environment variable `NSM_URL`, as `osc.udp://HOST:PORT/`.
public struct SessionManagerAddress: Sendable, Hashable, CustomStringConvertible {
  /// The host, as a name or in numbers.
  public let host: String
  /// The port.
  public let port: UInt16

  private static let scheme = "osc.udp://"
  /// As long as a name of a host may be.
  private static let longestHost = 253

  /// The address in `environment`; `nil` where it names none. Throws where that cannot be one.
  public init?(environment: [String: String]) throws(SessionManagerError) {
    guard let url = environment["NSM_URL"], !url.isEmpty else { return nil }
    guard let address = SessionManagerAddress(url: url) else {
      throw SessionManagerError(
        "NSM_URL=\(Self.shown(url)): expected \(Self.scheme)HOST:PORT/; start jackstay from a session manager, or unset "
          + "NSM_URL")
    }
    self = address
  }

  init?(url: String) {
    guard url.hasPrefix(Self.scheme) else { return nil }
    var rest = url.dropFirst(Self.scheme.count)
    if rest.hasSuffix("/") { rest = rest.dropLast() }
    guard let colon = rest.lastIndex(of: ":") else { return nil }
    let digits = rest[rest.index(after: colon)...]
    guard digits.utf8.allSatisfy({ (48...57).contains($0) }), let port = UInt16(digits), port > 0 else {
      return nil
    }
    var host = rest[..<colon]
    if host.hasPrefix("["), host.hasSuffix("]") {
      host = host.dropFirst().dropLast()
    } else if host.contains(":") {
      return nil
    }
    guard !host.isEmpty, host.utf8.count <= Self.longestHost, host.utf8.allSatisfy(Self.isOfHost) else {
      return nil
    }
    self.host = String(host)
    self.port = port
  }

  /// As it is written in `NSM_URL`.
  public var description: String {
    "\(Self.scheme)\(host.contains(":") ? "[\(host)]" : host):\(port)/"
  }

  private static func isOfHost(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
      UInt8(ascii: ":"), UInt8(ascii: "%"):
      true
    default: false
    }
  }

  /// As a line can show it: nothing in it may move a cursor.
  private static func shown(_ text: String) -> String {
    let shown = text.unicodeScalars.prefix(80).map { scalar in
      (0x20..<0x7F).contains(scalar.value) ? String(scalar) : "\\u{\(String(scalar.value, radix: 16))}"
    }
    return shown.joined() + (text.unicodeScalars.count > 80 ? "…" : "")
  }
}
