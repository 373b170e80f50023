import MusicalTime
import OSC
import OSCCodec
import PropertyTesting
import Settings

extension FuzzTarget {
  /// Datagrams at the OSC port: messages for every command and value, and bundles of them.
  static let datagrams = FuzzTarget(
    name: "datagrams", longest: 1024,
    generate: { random in
      var bytes = message(&random).bytes
      if random.oneIn(3) {
        let elements = [bytes, message(&random).bytes].flatMap { element in
          withUnsafeBytes(of: UInt32(element.count).bigEndian, Array.init) + element
        }
        bytes = Array("#bundle\0".utf8) + [0, 0, 0, 0, 0, 0, 0, 1] + elements
      }
      if random.oneIn(2) { bytes.mutate(["/jackstay/", "#bundle", ",", ",i", ",b", ",s", ",[f]"], &random) }
      return bytes
    },
    check: { bytes throws(BrokenLaw) in
      let messages: [OSCMessage]
      do throws(OSCFault) {
        messages = try OSCPacket.messages(in: bytes)
      } catch {
        try require(error == .malformed, "\(error) before anything was asked for")
        return .refused
      }
      var verdict = Verdict.refused
      for message in messages {
        let written = message.bytes
        let again = try? OSCPacket.messages(in: written)
        try require(again?.map(\.bytes) == [written], "what was read is not what is written: \(message)")
        if try isTaken(message) { verdict = .accepted }
      }
      return verdict
    })

  /// Whether a message is for the bridge, and can be done.
  private static func isTaken(_ message: OSCMessage) throws(BrokenLaw) -> Bool {
    let request: OSCRequest
    do throws(OSCFault) {
      request = try OSCRequest(message, Instruction.vocabulary)
    } catch {
      if case .wrong(let reason) = error { try BrokenLaw.check(error: reason) }
      return false
    }
    guard case .command(let line) = request else { return true }
    let instruction: Instruction?
    do throws(SettingsError) {
      instruction = try Instruction(line: line)
    } catch {
      try BrokenLaw.check(error: error.description)
      return false
    }
    if case .command(.proposeTempo(let tempo)) = instruction {
      try require(Tempo.range.contains(tempo.beatsPerMinute), "a tempo of \(tempo.beatsPerMinute) was taken")
    }
    return instruction != nil
  }

  private static let addresses =
    Instruction.vocabulary.map { "/jackstay/\($0.word)" }
    + [
      "/jackstay/value/peers", "/jackstay/proof", "/jackstay/tap", "/jackstay/subscribe",
      "/jackstay/unsubscribe", "/jackstay/answer",
      "/jacklink/bpm", "/jacklink/beattime", "/jacklink/sync", "/jacklink/rolling", "/link/tempo",
      "/link/num_peers", "/link/start_stop", "/other/thing",
    ]

  private static func message(_ random: inout Seeded) -> OSCMessage {
    var message = OSCMessage(addresses.randomElement(using: &random) ?? "/")
    let count =
      random.oneIn(10) ? Int.random(in: 2...5, using: &random) : Int.random(in: 0...1, using: &random)
    for _ in 0..<count { message.arguments.append(argument(&random)) }
    return message
  }

  private static func argument(_ random: inout Seeded) -> OSCArgument {
    switch Int.random(in: 0..<8, using: &random) {
    case 0: .int32(.random(in: -2...1200, using: &random))
    case 1: .int32(Int32(bitPattern: .random(in: 0...UInt32.max, using: &random)))
    case 2: .int64(Int64(bitPattern: .random(in: 0...UInt64.max, using: &random)))
    case 3: .float(.random(in: -10...1100, using: &random))
    case 4: .float(Float(bitPattern: .random(in: 0...UInt32.max, using: &random)))
    case 5: .double(Double(bitPattern: .random(in: 0...UInt64.max, using: &random)))
    case 6: .bool(random.oneIn(2))
    default: .string(Vocabulary.value(&random))
    }
  }
}
