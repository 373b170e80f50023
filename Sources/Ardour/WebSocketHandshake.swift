import Words

/// The request by which a client asks an HTTP server for a WebSocket, and the check of the answer: RFC 6455,
/// section 4. Pure.
public struct WebSocketHandshake: Sendable {
  /// The longest answer, in bytes.
  public static let longest = 8192

  /// The request.
  public let request: [UInt8]
  /// The proof that a server has understood it.
  let accept: String

  /// A request for the root of a host.
  ///
  /// - Parameters:
  ///   - host: The host and the port.
  ///   - nonce: 16 bytes, others for each request.
  public init(host: String, nonce: [UInt8]) {
    let key = nonce.base64
    accept = SHA1.hash(Array((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8)).base64
    request = Array(
      ([
        "GET / HTTP/1.1", "Host: \(host)", "Upgrade: websocket", "Connection: Upgrade",
        "Sec-WebSocket-Key: \(key)", "Sec-WebSocket-Version: 13", "", "",
      ].joined(separator: "\r\n")).utf8)
  }

  /// How many of the bytes that have come are the answer; `nil` where it is not complete.
  ///
  /// - Throws: ``WebSocketFault`` where it is not the answer of a server that goes on as a WebSocket.
  public func check(_ bytes: [UInt8]) throws(WebSocketFault) -> Int? {
    guard zip(bytes, Array("HTTP/1.1 ".utf8)).allSatisfy({ $0 == $1 }) else { throw .noHTTP }
    guard let end = Self.end(of: bytes.prefix(Self.longest)) else {
      guard bytes.count < Self.longest else { throw .noHTTP }
      return nil
    }
    guard let head = String(validating: bytes.prefix(end), as: UTF8.self) else { throw .noHTTP }
    let lines = head.split(whereSeparator: \.isNewline)
    let words = (lines.first ?? "").split(separator: " ")
    guard words.count >= 2, words[1].utf8.count == 3, let code = Int(words[1]) else { throw .noHTTP }
    guard code == 101 else { throw .status(code) }
    var fields: [String: String] = [:]
    for line in lines.dropFirst() {
      guard let colon = line.firstIndex(of: ":") else { throw .noHTTP }
      let value = line[line.index(after: colon)...].trimmed
      let name = line[..<colon].lowercased()
      // Of a field that comes twice the values are one list.
      fields[name] = fields[name].map { "\($0),\(value)" } ?? value
    }
    let connection = (fields["connection"] ?? "").lowercased().split(separator: ",")
    guard fields["upgrade"]?.lowercased() == "websocket",
      connection.contains(where: { $0.trimmed == "upgrade" }),
      fields["sec-websocket-accept"] == accept
    else { throw .unproved }
    guard fields["sec-websocket-extensions"] == nil, fields["sec-websocket-protocol"] == nil else {
      throw .notOffered
    }
    return end
  }

  /// The number of bytes up to the empty line, and with it.
  private static func end(of bytes: ArraySlice<UInt8>) -> Int? {
    let mark = Array("\r\n\r\n".utf8)
    guard bytes.count >= mark.count else { return nil }
    return (0...(bytes.count - mark.count)).first { bytes[$0..<$0 + mark.count].elementsEqual(mark) }
      .map { $0 + mark.count }
  }
}

extension Substring {
  /// Without blanks around it.
  fileprivate var trimmed: String {
    String(drop { $0 == " " || $0 == "\t" }.reversed().drop { $0 == " " || $0 == "\t" }.reversed())
  }
}
