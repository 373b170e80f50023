import Ardour
import MusicalTime
import PropertyTesting

extension FuzzTarget {
  /// The bytes that come from where Ardour is to be: the answer to a request, and frames with messages, to a session that
  /// has a tempo.
  static let ardour = FuzzTarget(
    name: "ardour", longest: 2048,
    generate: { random in
      var bytes: [UInt8] = []
      if random.oneIn(4) {
        bytes = Array(
          "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n"
            .utf8)
        if random.oneIn(2) { bytes.mutate(["\r\n", ":", "Upgrade", "101", "Sec-WebSocket-Accept"], &random) }
      }
      for _ in 0..<Int.random(in: 1...8, using: &random) { bytes += frame(&random) }
      if random.oneIn(3) { bytes.mutate(["{\"node\":\"", "transport_tempo", "\"val\":[", "]}"], &random) }
      return bytes
    },
    check: { bytes throws(BrokenLaw) in
      let handshake = WebSocketHandshake(host: "127.0.0.1:3818", nonce: Array("the sample nonce".utf8))
      var rest = bytes[...]
      switch Result(catching: { () throws(WebSocketFault) in try handshake.check(bytes) }) {
      case .success(let length?):
        try require(length > 0 && length <= bytes.count, "an answer of \(length) bytes")
        rest = rest.dropFirst(length)
      case .success(nil): break
      case .failure(let fault): try require(fault.description.isOneLine, "not one line: \(fault)")
      }
      return try converse(rest)
    })

  /// Takes frames at once and in pieces, and has what they say decided about.
  private static func converse(_ bytes: ArraySlice<UInt8>) throws(BrokenLaw) -> Verdict {
    var (whole, pieces) = (WebSocketReader(), WebSocketReader())
    let events = Result { () throws(WebSocketFault) in try whole.take(bytes) }
    var (said, fault): ([WebSocketReader.Event], WebSocketFault?) = ([], nil)
    for byte in bytes where fault == nil {
      do throws(WebSocketFault) { said += try pieces.take([byte]) } catch { fault = error }
    }
    if case .success(let events) = events {
      try require(fault == nil && said == events, "in pieces it is \(said), at once \(events)")
    } else {
      try require(fault != nil, "in pieces it is right")
    }
    var sync = ArdourSync()
    var (now, verdict) = (Duration.zero, Verdict.refused)
    try check(sync.sessionIs(session(120), at: now), sync, now)
    for event in said {
      guard case .text(let text) = event, let message = ArdourMessage(text) else { continue }
      now += .milliseconds(text.count * 7)
      try check(sync.received(message, at: now), sync, now)
      if message != .other { verdict = .accepted }
      if text.count % 3 == 0 {
        try check(sync.sessionIs(session(Double(text.count) + 60), at: now), sync, now)
      }
      if let next = sync.nextTime, next <= now { try check(sync.timePassed(at: now), sync, now) }
    }
    return verdict
  }

  private static func session(_ tempo: Double) -> ArdourSync.Session {
    ArdourSync.Session(
      tempo: Tempo(beatsPerMinute: tempo) ?? .standard, linkLeads: true, isRolling: true, peers: 1)
  }

  private static func check(
    _ actions: [ArdourSync.Action], _ sync: ArdourSync, _ now: Duration
  ) throws(BrokenLaw) {
    for action in actions {
      switch action {
      case .send(.setTempo(let tempo, _)):
        try require(Tempo.range.contains(tempo), "Ardour is to have \(tempo) bpm")
      case .ask(.propose(let tempo)), .ask(.found(let tempo)):
        try require(Tempo.range.contains(tempo.beatsPerMinute), "the session is to have \(tempo)")
      case .send, .ask, .tell: break
      }
    }
    if let next = sync.nextTime {
      try require(next < now + .seconds(2), "it wants to be called in \(next - now)")
    }
  }

  private static func frame(_ random: inout Seeded) -> [UInt8] {
    let text = Array(message(&random).utf8)
    func header(_ first: UInt8, _ count: Int) -> [UInt8] {
      count < 126 ? [first, UInt8(count)] : [first, 126, UInt8(count >> 8), UInt8(count & 0xFF)]
    }
    switch Int.random(in: 0...9, using: &random) {
    case 0: return header(0x89, 2) + [1, 2]
    case 1: return header(UInt8.random(in: 0...255, using: &random), text.count) + text
    case 2, 3:
      let cut = Int.random(in: 0...text.count, using: &random)
      return header(0x01, cut) + text.prefix(cut) + header(0x80, text.count - cut) + text.dropFirst(cut)
    default: return header(0x81, text.count) + text
    }
  }

  private static func message(_ random: inout Seeded) -> String {
    let number = [
      "120", "97.25", "1e300", "-3", "0", "1e999", "\(Double.random(in: 20...999, using: &random))",
    ]
    let value = number.randomElement(using: &random) ?? "1"
    let tick = Int.random(in: 0...1919, using: &random)
    return switch Int.random(in: 0...5, using: &random) {
    case 0: #"{"node":"transport_time","val":[\#(value)]}"#
    case 1: #"{"node":"transport_bbt","val":["001|01|\#(tick)"]}"#
    case 2: #"{"node":"transport_record","val":[\#(random.oneIn(2))]}"#
    case 3: #"{"node":"strip_meter","addr":[0],"val":[\#(value)]}"#
    default: #"{"node":"transport_tempo","val":[\#(value)]}"#
    }
  }
}
