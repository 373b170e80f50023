import LinkDiscovery
import MusicalTime
import PropertyTesting
import Testing

/// The messages of peers, against an encoder that shares no code with the reader.
@Suite struct DiscoveryMessageTests {
  @Test func `A message is read as it was written, with its entries in any order`() throws {
    try forAll(300) { seed, random in
      let kind = UInt8.random(in: 1...3, using: &random)
      let (life, group) = (
        UInt8.random(in: 0...255, using: &random), UInt16.random(in: 0...3, using: &random)
      )
      let (sender, session) = (random.next(), random.next())
      let tempo = Int64.random(in: 50_000...3_100_000, using: &random)
      let (isPlaying, isVersion6) = (random.oneIn(2), random.oneIn(2))
      let address = (0..<(isVersion6 ? 16 : 4)).map { _ in UInt8.random(in: 1...223, using: &random) }
      let port = UInt16.random(in: 1...65535, using: &random)
      var entries = [
        Encoder.timeline(tempo), Encoder.session(session), Encoder.startStop(isPlaying),
        Encoder.endpoint(address, port), Encoder.entry("aep4", [1, 2, 3]), Encoder.entry("????", []),
      ]
      entries.shuffle(using: &random)
      let message = try DiscoveryMessage(
        reading: Encoder.message(
          kind: kind, life: life, group: group, sender: sender, Array(entries.joined())))
      #expect(message.kind.rawValue == kind && message.secondsToLive == life, "seed \(seed)")
      #expect(message.group == group && message.sender == NodeID(sender), "seed \(seed)")
      #expect(message.microsecondsPerBeat == tempo && message.session == NodeID(session), "seed \(seed)")
      #expect(message.isPlaying == isPlaying, "seed \(seed)")
      #expect(message.endpoint == Endpoint(address: address, port: port), "seed \(seed)")
      #expect(
        (message.tempo != nil) == (60_060...3_000_000).contains(tempo), "seed \(seed): \(tempo)")
    }
  }

  @Test func `A message that is cut off anywhere but between two entries is malformed`() throws {
    let parts = [
      Encoder.message([]), Encoder.timeline(500_000), Encoder.session(3), Encoder.startStop(true),
      Encoder.endpoint([10, 0, 0, 1], 77),
    ]
    let ends = parts.reduce(into: [0]) { $0.append(($0.last ?? 0) + $1.count) }.dropFirst()
    let whole = Array(parts.joined())
    for count in 0...whole.count {
      let cut = Array(whole.prefix(count))
      if ends.contains(count) {
        #expect(throws: Never.self) { try DiscoveryMessage(reading: cut) }
      } else {
        #expect(throws: DiscoveryMessage.Fault.malformed, "\(count)") { try DiscoveryMessage(reading: cut) }
      }
    }
  }

  @Test func `A message with any bit flipped is read, or is a fault, and has no tempo beyond Link's`() {
    let whole = Encoder.alive()
    for index in whole.indices {
      for bit in 0..<8 {
        var bytes = whole
        bytes[index] ^= 1 << bit
        guard let message = try? DiscoveryMessage(reading: bytes) else { continue }
        #expect(index >= 8, "a flipped bit in the header")
        if let tempo = message.tempo { #expect(Tempo.range.contains(tempo.beatsPerMinute)) }
      }
    }
  }

  @Test func `Another version of the protocol is its own fault, whatever follows it`() {
    for version: UInt8 in [0, 2, 255] {
      for bytes in [
        Encoder.message(version: version, Encoder.session(1)), Array("_asdp_v".utf8) + [version],
      ] {
        #expect(throws: DiscoveryMessage.Fault.version(version)) { try DiscoveryMessage(reading: bytes) }
      }
    }
  }

  @Test func `Lengths that lie, foreign datagrams and unknown kinds are malformed`() {
    let lies: [[UInt8]] = [
      Array("tmln".utf8) + [0xFF, 0xFF, 0xFF, 0xFF], Array("tmln".utf8) + [0x7F, 0xFF, 0xFF, 0xFF, 1, 2],
      Array("none".utf8) + [0, 0, 0, 9] + [UInt8](repeating: 0, count: 8), Encoder.entry("tmln", [1, 2]),
      Encoder.entry("sess", [UInt8](repeating: 0, count: 9)), Encoder.entry("stst", [1]),
      Encoder.entry("mep4", [1, 2, 3, 4]), Encoder.entry("mep6", [1, 2, 3, 4, 5, 6]), [0],
    ]
    let datagrams =
      lies.map { Encoder.message($0) } + [
        [], Array("GET / HTTP/1.1".utf8), Encoder.message(kind: 0, []), Encoder.message(kind: 4, []),
        Encoder.message(Encoder.entry("long", [UInt8](repeating: 0, count: 485))),
        Array("_link_v".utf8) + [1, 1],
      ]
    for bytes in datagrams {
      #expect(throws: DiscoveryMessage.Fault.malformed, "\(bytes)") { try DiscoveryMessage(reading: bytes) }
    }
    #expect(throws: Never.self) {
      try DiscoveryMessage(
        reading: Encoder.message(Encoder.entry("long", [UInt8](repeating: 0, count: 484))))
    }
  }

  @Test func `A place that is of no single machine is no endpoint`() throws {
    for (address, port) in [
      ([224, 76, 78, 75], 20808), ([255, 255, 255, 255], 9), ([0, 0, 0, 0], 9), ([10, 0, 0, 1], 0),
      ([0xFF, 0x12] + [UInt8](repeating: 0, count: 13) + [1], 9), ([UInt8](repeating: 0, count: 16), 9),
    ] as [([UInt8], UInt16)] {
      let message = try DiscoveryMessage(reading: Encoder.message(Encoder.endpoint(address, port)))
      #expect(message.endpoint == nil, "\(address)")
    }
  }

  @Test func `The fastest tempo, a little beyond its limit on the wire, is 999 bpm`() throws {
    let message = try DiscoveryMessage(reading: Encoder.alive(microsecondsPerBeat: 60_060))
    #expect(message.tempo?.beatsPerMinute == 999)
    for odd: Int64 in [0, -1, 1, .max, .min] {
      #expect(try DiscoveryMessage(reading: Encoder.alive(microsecondsPerBeat: odd)).tempo == nil)
    }
  }

  @Test func `An answer has the number that its ping carried, and nothing else is an answer`() {
    for number: Int64 in [0, 1, -1, .max, .min] {
      let ping = Ping.message(carrying: number)
      #expect(ping.count == 25)
      let answer = Encoder.answer(to: ping)
      #expect(Ping.number(inAnswer: answer) == number)
      #expect(Ping.number(inAnswer: ping) == nil)
      for count in answer.indices { #expect(Ping.number(inAnswer: Array(answer.prefix(count))) == nil) }
      for index in 0..<9 {
        var bytes = answer
        bytes[index] ^= 4
        #expect(Ping.number(inAnswer: bytes) == nil, "\(index)")
      }
    }
  }
}
