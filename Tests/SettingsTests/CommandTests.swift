import MusicalTime
import PropertyTesting
import Reconciliation
import Settings
import Testing

/// What a running program is told on its standard input.
@Suite struct CommandTests {
  @Test func `Commands are words, however they are spaced`() throws {
    #expect(try Instruction(line: "start") == .command(.start))
    #expect(try Instruction(line: "  stop\t\r") == .command(.stop))
    #expect(
      try Instruction(line: "tempo  133.5") == .command(.proposeTempo(#require(Tempo(beatsPerMinute: 133.5))))
    )
    #expect(try Instruction(line: "mode jack") == .command(.select(.jack)))
    #expect(try Instruction(line: "status") == .status)
    #expect(try Instruction(line: "watch") == .watch)
    #expect(try Instruction(line: "help ") == .help)
    #expect(try Instruction(line: " \t") == nil)
  }

  @Test(
    arguments: [
      ("play", "unknown command \"play\"; expected \(Instruction.usage)"),
      ("start now", #"command "start now": expected start"#),
      ("tempo", #"command "tempo": expected tempo BPM"#),
      ("tempo 1 2", #"command "tempo 1 2": expected tempo BPM"#),
      ("mode", #"command "mode": expected mode auto|link|jack"#),
      ("tempo fast", "tempo fast: expected 20 to 999 beats per minute"),
      ("mode daw", "mode daw: expected auto, link or jack"),
      ("tempo nan", "tempo nan: expected 20 to 999 beats per minute"),
      ("tempo 1e9", "tempo 1e9: expected 20 to 999 beats per minute"),
      ("tempo 0x40", "tempo 0x40: expected 20 to 999 beats per minute"),
      ("tempo 1e2", "tempo 1e2: expected 20 to 999 beats per minute"),
      ("\u{1B}[2J", "unknown command \"\\u{1B}[2J\"; expected \(Instruction.usage)"),
    ])
  func `What is wrong with a line is said`(line: String, message: String) {
    #expect(throws: SettingsError(message)) { try Instruction(line: line) }
  }

  @Test func `What can be told is listed, each word once, and each is understood`() throws {
    let values = ["tempo": "96", "mode": "link"]
    #expect(
      Instruction.usage == "status, watch, start, stop, tempo BPM, mode auto|link|jack or help")
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
