/// Why a connection with a WebSocket server ends, in one line: what came, and what was expected.
public enum WebSocketFault: Error, Hashable, CustomStringConvertible {
  /// The answer to the request is no HTTP, or longer than any.
  case noHTTP
  /// The server speaks HTTP, and does not change to WebSockets.
  case status(Int)
  /// It does not prove that it has understood the request, as a cache in between may not have.
  case unproved
  /// It has chosen something that was not offered.
  case notOffered
  /// A frame breaks RFC 6455.
  case malformed
  /// A message is longer than ``WebSocketReader/longest``.
  case oversized
  /// A text is not UTF-8.
  case notText

  /// The line.
  public var description: String {
    switch self {
    case .noHTTP: "it does not speak HTTP"
    case .status(let code): "it answers with HTTP status \(code); expected 101"
    case .unproved: "its Sec-WebSocket-Accept is not that of the request"
    case .notOffered: "it chooses a WebSocket extension or protocol that was not offered"
    case .malformed: "it sends a frame that is not as in RFC 6455"
    case .oversized: "it sends a message of more than \(WebSocketReader.longest) bytes"
    case .notText: "it sends a text that is not UTF-8"
    }
  }

  /// The reason as a close frame has it.
  var closeCode: UInt16 {
    switch self {
    case .oversized: 1009
    case .notText: 1007
    case .noHTTP, .status, .unproved, .notOffered, .malformed: 1002
    }
  }
}
