import PropertyTesting
import Testing

@testable import Ardour

@Suite struct WebSocketTests {
  /// The key and the proof of RFC 6455, section 1.3.
  private static let handshake = WebSocketHandshake(
    host: "127.0.0.1:3818", nonce: Array("the sample nonce".utf8))
  private static let proof = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="

  private static func answer(
    _ status: String = "HTTP/1.1 101 Switching Protocols", upgrade: String = "WebSocket",
    connection: String = "keep-alive, Upgrade", accept: String = proof, more: String = ""
  ) -> [UInt8] {
    Array(
      "\(status)\r\nUpgrade: \(upgrade)\r\nconnection: \(connection)\r\nSec-WebSocket-Accept:\(accept) \r\n\(more)\r\n"
        .utf8)
  }

  @Test func `The request is that of the RFC, and its proof is accepted with what follows left over`() throws
  {
    let request = String(decoding: Self.handshake.request, as: UTF8.self)
    let lines = request.split(separator: "\r\n", omittingEmptySubsequences: false).map(String.init)
    #expect(lines.first == "GET / HTTP/1.1" && lines.suffix(2) == ["", ""])
    #expect(
      lines.contains("Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==") && lines.contains("Host: 127.0.0.1:3818"))
    let answer = Self.answer()
    #expect(try Self.handshake.check(answer + [0x81]) == answer.count)
    for count in 0..<answer.count { #expect(try Self.handshake.check(Array(answer.prefix(count))) == nil) }
  }

  @Test func `Answers that are no proof are refused, each for its reason`() {
    let wrong: [([UInt8], WebSocketFault)] = [
      (Array("SSH-2.0-x".utf8), .noHTTP), (Self.answer("HTTP/1.1 200 OK"), .status(200)),
      (Self.answer("HTTP/1.1 "), .noHTTP), (Self.answer("HTTP/1.1 1x1 S"), .noHTTP),
      (Self.answer(upgrade: "h2c"), .unproved), (Self.answer(connection: "close"), .unproved),
      (Self.answer(accept: "s3pPLMBiTxaQ9kYGzzhZRbK+xOO="), .unproved),
      (Self.answer(more: "Sec-WebSocket-Accept: \(Self.proof)\r\n"), .unproved),
      (Self.answer(more: "Sec-WebSocket-Extensions: permessage-deflate\r\n"), .notOffered),
      (Self.answer(more: "Sec-WebSocket-Protocol: x\r\n"), .notOffered),
      (Self.answer(more: "x\r\n"), .noHTTP),
      (Self.answer(more: String(repeating: "x: y\r\n", count: 1500)), .noHTTP),
      (Array("HTTP/1.1 101 ".utf8) + [UInt8](repeating: 0xFF, count: 8) + Array("\r\n\r\n".utf8), .noHTTP),
    ]
    for (bytes, fault) in wrong {
      #expect(throws: fault) { try Self.handshake.check(bytes) }
    }
  }

  /// The frames of section 5.7, and what they say.
  private static let examples: [([UInt8], [WebSocketReader.Event])] = [
    ([0x81, 0x05, 0x48, 0x65, 0x6C, 0x6C, 0x6F], [.text(Array("Hello".utf8))]),
    ([0x01, 0x03, 0x48, 0x65, 0x6C, 0x80, 0x02, 0x6C, 0x6F], [.text(Array("Hello".utf8))]),
    ([0x01, 0x01, 0x48, 0x89, 0x02, 1, 2, 0x80, 0x01, 0x69], [.ping([1, 2]), .text(Array("Hi".utf8))]),
    ([0x89, 0x00, 0x8A, 0x00], [.ping([]), .pong]), ([0x82, 0x01, 7, 0x81, 0x00], [.binary, .text([])]),
    ([0x88, 0x02, 0x03, 0xE8, 0x81, 0x01], [.close(1000)]), ([0x88, 0x00], [.close(nil)]),
    (
      [0x81, 126, 1, 0] + [UInt8](repeating: 0x20, count: 256), [.text([UInt8](repeating: 0x20, count: 256))]
    ),
    (
      [0x81, 127, 0, 0, 0, 0, 0, 1, 0, 0] + [UInt8](repeating: 0x20, count: 65_536),
      [.text([UInt8](repeating: 0x20, count: 65_536))]
    ),
  ]

  @Test func `Frames are read in whatever pieces they come`() throws {
    for (bytes, events) in Self.examples {
      var reader = WebSocketReader()
      #expect(try reader.take(bytes) == events)
    }
    try forAll(200) { seed, random in
      var (bytes, events) = ([UInt8](), [WebSocketReader.Event]())
      for _ in 0..<4 {
        guard let (more, said) = Self.examples.prefix(5).randomElement(using: &random) else { continue }
        bytes += more
        events += said
      }
      var (reader, read, rest) = (WebSocketReader(), [WebSocketReader.Event](), bytes[...])
      while !rest.isEmpty {
        let piece = rest.prefix(Int.random(in: 1...5, using: &random))
        rest = rest.dropFirst(piece.count)
        read += try reader.take(piece)
      }
      #expect(read == events, "seed \(seed)")
    }
  }

  @Test func `Frames that break the protocol, and messages without end, end it`() {
    let long = [UInt8](repeating: 0x20, count: 40_000)
    let wrong: [([UInt8], WebSocketFault)] = [
      ([0x81, 0x81, 0, 0, 0, 0, 0x48], .malformed), ([0xC1, 0x00], .malformed), ([0x83, 0x00], .malformed),
      ([0x80, 0x00], .malformed), ([0x01, 0x00, 0x01, 0x00], .malformed), ([0x09, 0x00], .malformed),
      ([0x89, 126, 0, 126], .malformed), ([0x81, 126, 0, 125], .malformed),
      ([0x81, 127, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF], .malformed), ([0x88, 0x01, 3], .malformed),
      ([0x88, 0x03, 3, 0xE8, 0xFF], .malformed), ([0x81, 127, 0xFF, 0, 0, 0, 0, 0, 0, 0], .malformed),
      ([0x81, 127, 0, 0, 0, 0, 0, 1, 0, 1], .oversized),
      ([0x81, 127, 0x7F, 0, 0, 0, 0, 0, 0, 0], .oversized),
      ([0x01, 126, 0x9C, 0x40] + long + [0x80, 126, 0x9C, 0x40] + long, .oversized),
      ([0x81, 0x01, 0xFF], .notText),
    ]
    for (bytes, fault) in wrong {
      #expect(throws: fault) {
        var reader = WebSocketReader()
        _ = try reader.take(bytes)
      }
    }
  }

  @Test func `Each frame that is sent is masked, as in the RFC's example`() {
    let hello: [UInt8] = [0x81, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58]
    #expect(WebSocketWriter.text("Hello", mask: [0x37, 0xFA, 0x21, 0x3D]) == hello)
    #expect(WebSocketWriter.close(1002, mask: [0, 0, 0, 0]) == [0x88, 0x82, 0, 0, 0, 0, 0x03, 0xEA])
    #expect(WebSocketWriter.pong([9], mask: [1, 0, 0, 0]) == [0x8A, 0x81, 1, 0, 0, 0, 8])
    let long = WebSocketWriter.text(String(repeating: "a", count: 300), mask: [0, 0, 0, 0])
    #expect(long.prefix(4) == [0x81, 0xFE, 1, 44] && long.count == 308)
  }
}
