/// Takes the frames of a WebSocket server apart: RFC 6455, section 5. Pure.
public struct WebSocketReader: Sendable {
  /// The longest message, in bytes.
  public static let longest = 65_536

  /// Something that a server has sent.
  public enum Event: Sendable, Hashable {
    /// A text, of all its fragments.
    case text([UInt8])
    /// A message that is no text.
    case binary
    /// A question whether the client is there, whose answer has the same bytes.
    case ping([UInt8])
    /// The answer to such a question.
    case pong
    /// The end: the reason's number, if there is one.
    case close(UInt16?)
  }

  private var pending: [UInt8] = []
  /// The fragments of a message so far, and whether it is a text; `nil` between messages.
  private var fragments: (bytes: [UInt8], isText: Bool)?
  private var hasEnded = false

  /// At the beginning of a connection.
  public init() {}

  /// Takes bytes that have come, and returns what they complete.
  ///
  /// - Throws: ``WebSocketFault`` where they break the protocol: nothing that follows can be understood.
  public mutating func take(_ bytes: some Sequence<UInt8>) throws(WebSocketFault) -> [Event] {
    pending += bytes
    var events: [Event] = []
    var start = 0
    while !hasEnded, let frame = try Frame(pending[start...]) {
      start += frame.length
      if let event = try take(frame) { events.append(event) }
    }
    pending.removeFirst(hasEnded ? pending.count : start)
    return events
  }

  private mutating func take(_ frame: Frame) throws(WebSocketFault) -> Event? {
    switch frame.code {
    case .ping: return .ping(Array(frame.payload))
    case .pong: return .pong
    case .close: return try end(frame.payload)
    case .text, .binary:
      guard fragments == nil else { throw .malformed }
      fragments = (Array(frame.payload), frame.code == .text)
    case .continuation:
      guard var joined = fragments else { throw .malformed }
      guard joined.bytes.count + frame.payload.count <= Self.longest else { throw .oversized }
      joined.bytes += frame.payload
      fragments = joined
    }
    guard frame.isFinal, let message = fragments.take() else { return nil }
    guard message.isText else { return .binary }
    guard String(validating: message.bytes, as: UTF8.self) != nil else { throw .notText }
    return .text(message.bytes)
  }

  private mutating func end(_ payload: ArraySlice<UInt8>) throws(WebSocketFault) -> Event {
    hasEnded = true
    guard !payload.isEmpty else { return .close(nil) }
    guard payload.count >= 2, String(validating: payload.dropFirst(2), as: UTF8.self) != nil else {
      throw .malformed
    }
    return .close(payload.prefix(2).reduce(0) { $0 << 8 | UInt16($1) })
  }

  /// One frame.
  private struct Frame {
    enum Code: UInt8 {
      case continuation = 0
      case text = 1
      case binary = 2
      case close = 8
      case ping = 9
      case pong = 10

      var isControl: Bool { rawValue >= 8 }
    }

    let code: Code
    let isFinal: Bool
    let payload: ArraySlice<UInt8>
    /// How many bytes all of it has.
    let length: Int

    /// The first frame of the bytes; `nil` where it is not complete.
    init?(_ bytes: ArraySlice<UInt8>) throws(WebSocketFault) {
      guard bytes.count >= 2, let first = bytes.first else { return nil }
      let start = bytes.startIndex
      // A server masks nothing, and bits that no extension has given a meaning are zero.
      guard first & 0x70 == 0, let code = Code(rawValue: first & 0x0F), bytes[start + 1] & 0x80 == 0 else {
        throw .malformed
      }
      let short = Int(bytes[start + 1])
      let more = short == 127 ? 8 : short == 126 ? 2 : 0
      isFinal = first & 0x80 != 0
      guard !code.isControl || (isFinal && more == 0) else { throw .malformed }
      guard bytes.count >= 2 + more else { return nil }
      var size = UInt64(short)
      if more > 0 {
        size = bytes[(start + 2)..<(start + 2 + more)].reduce(0) { $0 << 8 | UInt64($1) }
        // In as few bytes as there can be, and the first bit of eight is zero.
        guard size >= (more == 2 ? 126 : 65_536), size >> 63 == 0 else { throw .malformed }
      }
      guard size <= UInt64(WebSocketReader.longest) else { throw .oversized }
      length = 2 + more + Int(size)
      guard bytes.count >= length else { return nil }
      payload = bytes[(start + 2 + more)..<(start + length)]
      self.code = code
    }
  }
}

/// The frames of a client, each with a mask that cannot be guessed.
public enum WebSocketWriter {
  /// A whole text in one frame.
  ///
  /// - Parameters:
  ///   - text: The text, of at most 65535 bytes.
  ///   - mask: 4 random bytes.
  /// - Returns: The frame.
  public static func text(_ text: String, mask: [UInt8]) -> [UInt8] { frame(1, Array(text.utf8), mask) }

  /// A question whether the server is there.
  public static func ping(mask: [UInt8]) -> [UInt8] { frame(9, [], mask) }

  /// The answer to such a question of the server's.
  public static func pong(_ payload: [UInt8], mask: [UInt8]) -> [UInt8] { frame(10, payload, mask) }

  /// The end, with the number of the reason.
  public static func close(_ code: UInt16, mask: [UInt8]) -> [UInt8] {
    frame(8, withUnsafeBytes(of: code.bigEndian, Array.init), mask)
  }

  private static func frame(_ code: UInt8, _ payload: [UInt8], _ mask: [UInt8]) -> [UInt8] {
    let count = payload.count
    let size: [UInt8] =
      count < 126 ? [0x80 | UInt8(count)] : [0x80 | 126, UInt8(count >> 8 & 0xFF), UInt8(count & 0xFF)]
    let masked = payload.enumerated().map { $1 ^ mask[$0 % 4] }
    return [0x80 | code] + size + mask + masked
  }
}
