import Foundation
import JSON
import OSCCodec
import Settings
import Stage
import Testing
import Typechecking

@testable import OSC

/// Messages, and their requests.
@Suite struct OSCRequestTests {
  private func request(_ address: String, _ arguments: OSCArgument...) throws(OSCFault) -> OSCRequest {
    try OSCRequest(OSCMessage(address, arguments: arguments), Instruction.vocabulary)
  }

  /// A value of each command that takes one, and how standard input has it.
  private static let values: [String: (OSCArgument, String)] = [
    "tempo": (.float(126.3), "126.3"), "mode": (.string("jack"), "jack"), "locate": (.int32(17), "17"),
    "launch": (.string("now"), "now"), "discipline": (.string("tempo"), "tempo"),
    "latency": (.double(12.5), "12.5"), "offset": (.float(-3.5), "-3.5"), "link": (.bool(false), "off"),
    "tempo-sync": (.string("receive"), "receive"), "downbeat": (.int32(-1), "-1"),
    "record": (.bool(true), "on"),
    "start-stop-sync": (.bool(true), "on"), "quantum": (.int64(8), "8"), "meter": (.string("6/8"), "6/8"),
  ]

  @Test func `Each command has an address, and is the one of standard input`() throws {
    for word in Instruction.vocabulary {
      for name in [word.word, word.word.replacing("-", with: "_")] {
        let address = "/jackstay/\(name)"
        guard word.parameter != nil else {
          let expected: OSCRequest =
            switch word.word {
            case "status": .status
            case "watch": .subscribe(port: nil)
            default: .command(word.word)
            }
          #expect(try request(address) == expected)
          guard word.word != "watch" else { continue }
          #expect(try request(address, .float(1)) == expected)
          for released: OSCArgument in [.float(0), .int32(0), .bool(false)] {
            #expect(try request(address, released) == .nothing)
          }
          continue
        }
        let (argument, text) = try #require(Self.values[word.word])
        #expect(try request(address, argument) == .command("\(word.word) \(text)"))
        #expect(try Instruction(line: "\(word.word) \(text)") != nil)
      }
    }
    #expect(try request("/jackstay/tap", .int32(1)) == .command("tempo tap"))
    #expect(try request("/jackstay/tempo", .string("+1")) == .command("tempo +1"))
    #expect(try request("/jackstay/tempo", .double(126.000126)) == .command("tempo 126.000126"))
    #expect(try request("/jackstay/offset", .float(0.00001)) == .command("offset 0.00001"))
    #expect(try request("/jackstay/link", .float(1)) == .command("link on"))
    #expect(try request("/jackstay/link", .int32(0)) == .command("link off"))
  }

  @Test func `Each value of the status has an address, which asks for it`() throws {
    for member in OSCVocabulary.members {
      #expect(try request("/jackstay/value/\(member)") == .question(.member(member)))
      #expect(OSCVocabulary.address(of: member) == "/jackstay/value/\(member)")
    }
    #expect(OSCVocabulary.restless.isSubset(of: OSCVocabulary.members))
    for address in ["/jackstay/value/nonsense", "/jackstay/peers", "/jackstay/tempo", "/jackstay/offset_ms"] {
      #expect(throws: OSCFault.self) { try request(address) }
    }
  }

  @Test func `An echo of the bridge's messages commands nothing and has no answer`() throws {
    let status = Self.status.adding(["latency_ms": 12.5, "mode": "auto", "start_stop_sync": true])
    let sent =
      OSCMessage.values(of: status) + OSCMessage.changes(from: [:], to: status)
      + [
        OSCMessage(answer: .refused("no"), to: "/jackstay/start"),
        try #require(OSCMessage(event: ["event": "tempo", "bpm": 120])),
      ]
    for message in sent {
      #expect(throws: OSCFault.foreign, "\(message)") { try OSCRequest(message, Instruction.vocabulary) }
    }
  }

  @Test func `A proof is a whole number, as any type that controllers send`() throws {
    for argument: OSCArgument in [.int32(4711), .int64(4711), .float(4711), .double(4711)] {
      #expect(try request("/jackstay/proof", argument) == .prove(4711))
    }
    for argument: OSCArgument in [.float(0.5), .float(.nan), .string("4711"), .bool(true), .double(1e10)] {
      #expect(throws: OSCFault.self) { try request("/jackstay/proof", argument) }
    }
    #expect(throws: OSCFault.self) { try request("/jackstay/proof") }
  }

  @Test func `OSC has the documented members of the status but the links to the panel`() throws {
    let url = Typechecking.packageRoot.appending(path: "Sources/Control/Control.docc/ControlSocket.md")
    let text = try String(contentsOf: url, encoding: .utf8)
    let table = try #require(text.components(separatedBy: "\n## ").first { $0.hasPrefix("Status") })
    var documented: Set<String> = []
    for line in table.split(separator: "\n") where line.hasPrefix("| `") {
      let cell = line.dropFirst().prefix { $0 != "|" }
      documented.formUnion(cell.matches(of: /`([a-z_]+)`/).map { String($0.output.1) })
    }
    // The links of the panel may have a token in them, which datagrams would show to the network.
    #expect(documented.subtracting(["panel"]) == Set(OSCVocabulary.members))
  }

  @Test func `Other tools' addresses do the same as in those tools`() throws {
    #expect(try request("/jacklink/bpm", .double(128)) == .command("tempo 128"))
    #expect(try request("/jacklink/bpm") == .question(.member("tempo")))
    #expect(try request("/jacklink/beattime", .float(8.5)) == .command("locate 8.5b"))
    #expect(try request("/jacklink/beattime") == .question(.beatTime))
    #expect(try request("/jacklink/sync", .bool(false)) == .command("link off"))
    #expect(try request("/jacklink/sync") == .question(.member("link")))
    #expect(try request("/jacklink/rolling", .bool(true)) == .command("start"))
    #expect(try request("/jacklink/rolling", .bool(false)) == .command("stop"))
    #expect(try request("/jacklink/rolling") == .question(.isRolling))
    #expect(try request("/link/tempo", .float(99)) == .command("tempo 99"))
    #expect(try request("/link/tempo") == .question(.tempo))
    #expect(try request("/link/num_peers") == .question(.member("peers")))
    #expect(try request("/link/start_stop", .int32(1)) == .command("start"))
    #expect(try request("/link/start_stop", .int32(0)) == .command("stop"))
    #expect(try request("/link/start_stop") == .question(.startStop))
    for line in ["tempo 128.0", "locate 8.5b", "tempo 99.0"] { #expect(try Instruction(line: line) != nil) }
    #expect(throws: OSCFault.self) { try request("/jacklink/beattime", .float(-1)) }
    #expect(throws: OSCFault.self) { try request("/link/num_peers", .int32(3)) }
  }

  @Test func `A subscriber may name a port`() throws {
    #expect(try request("/jackstay/subscribe") == .subscribe(port: nil))
    #expect(try request("/jackstay/subscribe", .float(9001)) == .subscribe(port: 9001))
    #expect(try request("/jackstay/unsubscribe", .int32(9001)) == .unsubscribe(port: 9001))
    for argument: OSCArgument in [
      .int32(0), .int32(-1), .int32(65536), .float(1.5), .string("9001"), .bool(true),
    ] {
      #expect(throws: OSCFault.self) { try request("/jackstay/subscribe", argument) }
    }
  }

  @Test
  func `A message for other programs has no answer, and a wrong one has an answer with the expectation`()
    throws
  {
    for address in [
      "/jackstay/answer", "/jackstay/event/tempo", "/jackstay", "/", "", "/fail", "/jacklink/x", "/link/beat",
      "/jackstay/tempo/", "x/jackstay/tempo", "/JACKSTAY/tempo", "/jackstay//tempo",
    ] {
      #expect(throws: OSCFault.foreign, "\(address)") { try request(address) }
    }
    let wrong: [(String, [OSCArgument])] = [
      ("/jackstay/tmepo", []), ("/jackstay/\u{1B}[2J", []), ("/jackstay/tempo", [.float(.nan)]),
      ("/jackstay/tempo", [.double(.infinity)]), ("/jackstay/tempo", [.float(-5)]),
      ("/jackstay/tempo", [.float(1), .float(2)]), ("/jackstay/start", [.string("now")]),
      ("/jackstay/start", [.float(.nan)]), ("/jackstay/link", [.float(.nan)]),
      ("/jacklink/bpm", [.float(.nan)]),
    ]
    for (address, arguments) in wrong {
      do {
        _ = try OSCRequest(OSCMessage(address, arguments: arguments), Instruction.vocabulary)
        Issue.record("\(address) \(arguments) was taken")
      } catch OSCFault.wrong(let reason) {
        #expect(reason.contains("expected") && !reason.contains("\u{1B}"), "\(reason)")
      }
    }
    for (text, number) in [("tempo 1000", Float(1000)), ("tempo 10000000000", 1e10), ("tempo 0", 0)] {
      #expect(try request("/jackstay/tempo", .float(number)) == .command(text))
      #expect(throws: SettingsError.self) { try Instruction(line: text) }
    }
  }

  private static let status: JSONObject = [
    "meter": "6/8", "bar": 3, "beat": 2, "tick": 960, "ticks_per_beat": 1920, "transport": "rolling",
    "tempo": 126.000126, "peers": 2, "link": true, "time_us": 123_456_789_012_345, "offset_ms": -3.5,
    "process": .null,
  ]

  @Test func `A value has one type, and is answered as its address has it`() throws {
    let status = Self.status
    #expect(OSCQuestion.member("tempo").answer(in: status) == .float(126.000126))
    #expect(OSCQuestion.tempo.answer(in: status) == .double(126.000126))
    #expect(OSCQuestion.member("peers").answer(in: status) == .int32(2))
    #expect(OSCQuestion.member("link").answer(in: status) == .bool(true))
    #expect(OSCQuestion.member("time_us").answer(in: status) == .double(123_456_789_012_345))
    #expect(OSCQuestion.member("process").answer(in: status) == .null)
    #expect(OSCQuestion.member("jack_tempo").answer(in: status) == nil)
    #expect(OSCQuestion.isRolling.answer(in: status) == .bool(true))
    #expect(OSCQuestion.startStop.answer(in: status) == .int32(1))
    #expect(OSCQuestion.beatTime.answer(in: status) == .double(6.75))
    for question: OSCQuestion in [.tempo, .beatTime, .isRolling, .startStop] {
      #expect(question.answer(in: [:]) == nil)
    }
  }

  @Test func `Answers, events and changes are messages`() {
    #expect(
      OSCMessage(answer: .refused("no"), to: "/jackstay/start")
        == OSCMessage("/jackstay/answer", .string("refused"), .string("/jackstay/start"), .string("no")))
    #expect(
      OSCMessage(answer: .taken, to: "/link/tempo")
        == OSCMessage("/jackstay/answer", .string("taken"), .string("/link/tempo")))
    #expect(
      OSCMessage(event: ["event": "peers", "count": 2, "level": "info", "text": "2 peers"])
        == OSCMessage("/jackstay/event/peers", .int32(2), .string("info"), .string("2 peers")))
    #expect(
      OSCMessage.changes(
        from: Self.status, to: Self.status.adding(["tempo": 120, "tick": 7, "offset_ms": 1])) == [
          OSCMessage("/jackstay/value/tempo", .float(120)),
          OSCMessage("/jackstay/value/offset_ms", .float(1)),
        ])
    #expect(
      OSCMessage.changes(from: ["tempo": 120, "phase": 1], to: [:])
        == [OSCMessage("/jackstay/value/tempo", .null)])
    let values = OSCMessage.values(of: Self.status)
    #expect(values.count == Self.status.members.count)
    let bundles = OSCPacket.bundles(of: Array(repeating: values, count: 20).flatMap(\.self))
    #expect(bundles.count > 1 && bundles.allSatisfy { $0.count <= OSCPacket.longest })
    let read = bundles.flatMap { OSCPeer.decode($0[...]).map(\.address) }
    #expect(read == Array(repeating: values, count: 20).flatMap(\.self).map(\.address))
    #expect(OSCPacket.bundles(of: []) == [])
  }
}
