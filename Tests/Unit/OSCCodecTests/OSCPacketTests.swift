import OSCCodec
import PropertyTesting
import Stage
import Testing

/// The content of datagrams, against code that shares nothing with the code that reads and writes them.
@Suite struct OSCPacketTests {
  private static let all: [(OSCArgument, OSCPeer.Value)] = [
    (.int32(-7), .int(-7)), (.int64(1 << 40), .long(1 << 40)), (.float(0.1), .float(0.1)),
    (.double(126.000126), .double(126.000126)), (.string("naïve"), .text("naïve")), (.string(""), .text("")),
    (.bool(true), .truth(true)), (.bool(false), .truth(false)),
  ]

  @Test func `Each type is read as it was written elsewhere, and is read there as it is written here`() throws
  {
    for count in 0...Self.all.count {
      let pairs = Self.all.prefix(count)
      let message = OSCMessage("/jackstay/x", arguments: pairs.map(\.0))
      let bytes = OSCPeer.encode("/jackstay/x", pairs.map(\.1))
      #expect(message.bytes == bytes)
      #expect(try OSCPacket.messages(in: bytes) == [message])
      #expect(OSCPeer.decode(message.bytes[...]).first?.values == pairs.map(\.1))
    }
    #expect(OSCPeer.decode(OSCMessage("/a", .null).bytes[...]).first?.values == [.null])
  }

  @Test func `A bundle is its messages in order, also in another bundle`() throws {
    let (a, b) = (OSCPeer.encode("/a", [.int(1)]), OSCPeer.encode("/b", []))
    let inner = OSCPeer.bundle([b, a])
    #expect(
      try OSCPacket.messages(in: OSCPeer.bundle([a, inner, b])).map(\.address) == ["/a", "/b", "/a", "/b"])
    #expect(try OSCPacket.messages(in: OSCPeer.bundle([])) == [])
    var deep = a
    for _ in 0..<100 { deep = OSCPeer.bundle([deep]) }
    #expect(throws: OSCFault.malformed) { try OSCPacket.messages(in: deep) }
  }

  @Test func `A datagram that is no OSC, or of a type that is not read, has no message at all`() {
    let good = OSCPeer.encode("/jackstay/tempo", [.float(120)])
    var faults: [[UInt8]] = [[], [0], good + [0], good + [0, 0, 0, 0]]
    for count in good.indices { faults.append(Array(good.prefix(count))) }
    for text in [
      "GET / HTTP/1.1\r\n\r\n", "/jackstay/start", "/a\0\0", "/a\0\0,b\0\0\u{7F}\u{7F}\u{7F}\u{7F}",
      "/a\0\0,i\0\0xyz",
      "/a\0\0,ss\0abcd", "/a\0\0,\u{1}\0\0", "/a\0\0,[i]\0\0\0\0\0\0\0\u{1}", "/a\0x,\0\0\0", "#bundle\0",
    ] {
      faults.append(Array(text.utf8))
    }
    let (empty, one) = (OSCPeer.bundle([]), OSCPeer.bundle([good]))
    faults += [OSCPeer.bundle([good, Array("x".utf8)]), one + [0, 0], one.dropLast(4)]
    faults += [empty + [0, 0, 0, 0], empty + [0xFF, 0xFF, 0xFF, 0xF0]]
    for bytes in faults {
      #expect(throws: OSCFault.malformed, "\(bytes)") { try OSCPacket.messages(in: bytes) }
    }
  }

  @Test func `A text ends at its first 0, and bytes in it that are no UTF-8 are replaced`() throws {
    #expect(OSCMessage("/a\0b", .string("c\0d")).bytes == OSCMessage("/a", .string("c")).bytes)
    let bytes = Array("/a\0\0,s\0\0".utf8) + [0xFF, 0, 0, 0]
    #expect(try OSCPacket.messages(in: bytes) == [OSCMessage("/a", .string("\u{FFFD}"))])
  }

  @Test func `No bytes do harm, and a message that is read is written the same`() {
    forAll(20_000) { _, random in
      var bytes = OSCPeer.bundle([OSCPeer.encode("/jackstay/tempo", Self.all.map(\.1))])
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        bytes[Int.random(in: 0..<bytes.count, using: &random)] = .random(in: 0...255, using: &random)
      }
      if random.oneIn(3) { bytes.removeLast(Int.random(in: 0..<bytes.count, using: &random)) }
      for message in (try? OSCPacket.messages(in: bytes)) ?? [] {
        let again = try? OSCPacket.messages(in: message.bytes)
        #expect(again?.map(\.bytes) == [message.bytes])
      }
    }
  }
}
