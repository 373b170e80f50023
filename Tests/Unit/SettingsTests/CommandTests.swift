import MusicalTime
import PropertyTesting
import Reconciliation
import Settings
import Testing

/// The commands on a running program's standard input.
@Suite struct CommandTests {
  @Test func `Commands are words, however they are spaced`() throws {
    #expect(try Instruction(line: "start") == .command(.start))
    #expect(try Instruction(line: "  stop\t\r") == .command(.stop))
    #expect(
      try Instruction(line: "tempo  133.5") == .command(.proposeTempo(#require(Tempo(beatsPerMinute: 133.5))))
    )
    #expect(try Instruction(line: "mode jack") == .choose(.mode(.jack)))
    #expect(try Instruction(line: "status") == .status)
    #expect(try Instruction(line: "watch") == .watch)
    #expect(try Instruction(line: "help ") == .help)
    #expect(try Instruction(line: " \t") == nil)
  }

  @Test(
    arguments: [
      ("play", "unknown command \"play\"; expected \(Instruction.usage)"),
      ("start now", #"command "start now": expected start"#),
      ("tempo", #"command "tempo": expected tempo BPM|+BPM|-BPM|tap"#),
      ("tempo 1 2", #"command "tempo 1 2": expected tempo BPM|+BPM|-BPM|tap"#),
      ("mode", #"command "mode": expected mode auto|link|jack"#),
      ("tempo fast", "tempo fast: expected 20 to 999 beats per minute, a step such as +1 or -0.5, or tap"),
      ("mode daw", "mode daw: expected auto, link or jack"),
      ("tempo nan", "tempo nan: expected 20 to 999 beats per minute, a step such as +1 or -0.5, or tap"),
      ("tempo 1e9", "tempo 1e9: expected 20 to 999 beats per minute, a step such as +1 or -0.5, or tap"),
      ("tempo 0x40", "tempo 0x40: expected 20 to 999 beats per minute, a step such as +1 or -0.5, or tap"),
      ("tempo 1e2", "tempo 1e2: expected 20 to 999 beats per minute, a step such as +1 or -0.5, or tap"),
      ("\u{1B}[2J", "unknown command \"\\u{1B}[2J\"; expected \(Instruction.usage)"),
    ])
  func `The fault of a line is reported`(line: String, message: String) {
    #expect(throws: SettingsError(message)) { try Instruction(line: line) }
  }

  @Test func `Tempos, places and switches are read as they are written`() throws {
    #expect(
      try Instruction(line: "tempo +1") == .command(.nudgeTempo(#require(TempoStep(beatsPerMinute: 1)))))
    #expect(
      try Instruction(line: "tempo -0.5") == .command(.nudgeTempo(#require(TempoStep(beatsPerMinute: -0.5)))))
    #expect(try Instruction(line: "tempo tap") == .tap)
    #expect(try Instruction(line: "rewind") == .command(.locate(0)))
    #expect(try Instruction(line: "locate 17") == .locate(.bar(17)))
    #expect(try Instruction(line: "locate 12.5s") == .locate(.seconds(12.5)))
    #expect(try Instruction(line: "locate 8.5b") == .locate(.beats(8.5)))
    #expect(try Instruction(line: "launch beat") == .choose(.launch(.beat)))
    #expect(try Instruction(line: "latency none") == .latency(.none))
    for (text, milliseconds) in [("+3.5ms", 3.5), ("-2", -2), ("0", 0), ("500ms", 500)] {
      #expect(
        try Instruction(line: "offset \(text)") == .offset(#require(Offset(milliseconds: milliseconds))))
    }
    #expect(try Instruction(line: "link on") == .link(true))
    #expect(try Instruction(line: "start-stop-sync off") == .choose(.startStopSync(.off)))
    #expect(try Instruction(line: "quantum 8") == .choose(.quantum(Quantum(beats: 8)!)))
    #expect(try Instruction(line: "meter 6/8") == .choose(.meter(Meter("6/8")!)))
    #expect(try Instruction(line: "start-stop-sync on") == .choose(.startStopSync(.both)))
    #expect(try Instruction(line: "tempo-sync receive") == .choose(.tempoSync(.receive)))
    for (text, shift) in [("now", DownbeatShift.here), ("0", .none), ("+1", .by(1)), ("-64", .by(-64))] {
      #expect(try Instruction(line: "downbeat \(text)") == .command(.shiftDownbeat(shift)))
    }
    for line in [
      "downbeat", "downbeat 1", "downbeat +65", "downbeat +1.5", "downbeat nan", "tempo-sync yes",
      "tempo-sync",
      "locate 0", "locate 1.5", "locate -1", "locate 1000001", "locate s", "locate 1e2s", "locate -1s",
      "locate 1 s", "locate b", "locate -1b", "locate 1sb", "tempo +980", "tempo -nan", "tempo +",
      "tempo ++1", "link", "link true", "quantum 0",
      "meter 6/9", "latency -1", "offset", "offset 501", "offset 1s", "offset ms", "offset --1", "offset nan",
    ] {
      #expect(throws: SettingsError.self) { try Instruction(line: line) }
    }
  }

  @Test func `All commands are listed, each word once, and each is understood`() throws {
    let values = [
      "tempo": "96", "mode": "link", "locate": "17", "launch": "now", "discipline": "tempo",
      "latency": "12.5", "link": "off", "offset": "+3.5ms", "record": "on",
      "tempo-sync": "receive", "start-stop-sync": "off", "quantum": "8", "meter": "6/8", "downbeat": "+1",
    ]
    #expect(
      Instruction.usage.hasPrefix(
        "status, watch, start, stop, rewind, locate BAR|SECONDSs|BEATSb, tempo BPM|+"))
    #expect(Instruction.usage.hasSuffix(", record on|off or help"))
    #expect(Set(Instruction.vocabulary.map(\.word)).count == Instruction.vocabulary.count)
    for word in Instruction.vocabulary {
      let line = [word.word, values[word.word]].compactMap(\.self).joined(separator: " ")
      #expect(try Instruction(line: line) != nil)
      #expect((values[word.word] == nil) == (word.parameter == nil))
    }
  }

  @Test func `No bytes are taken for a command that they are not`() {
    forAll(2000) { seed, random in
      let bytes = (0..<Int.random(in: 0...40, using: &random)).map { _ in
        UInt8.random(in: 0...255, using: &random)
      }
      let line = String(decoding: bytes, as: UTF8.self)
      #expect((try? Instruction(line: line)) == nil, "seed \(seed)")
    }
  }
}
