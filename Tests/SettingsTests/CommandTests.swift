import MusicalTime
import PropertyTesting
import Reconciliation
import Settings
import Testing

/// What a running program is told on its standard input.
@Suite struct CommandTests {
  @Test func `Commands are words, however they are spaced`() throws {
    #expect(try Command(line: "start") == .start)
    #expect(try Command(line: "  stop\t\r") == .stop)
    #expect(try Command(line: "tempo  133.5") == .proposeTempo(#require(Tempo(beatsPerMinute: 133.5))))
    #expect(try Command(line: "mode jack") == .select(.jack))
    #expect(try Command(line: " \t") == nil)
  }

  @Test(
    arguments: [
      ("play", #"unknown command "play"; expected start, stop, tempo BPM or mode auto|link|jack"#),
      ("start now", #"unknown command "start now"; expected start, stop, tempo BPM or mode auto|link|jack"#),
      ("tempo", #"unknown command "tempo"; expected start, stop, tempo BPM or mode auto|link|jack"#),
      ("tempo fast", "tempo fast: expected 20 to 999 beats per minute"),
      ("mode daw", "mode daw: expected auto, link or jack"),
      ("tempo nan", "tempo nan: expected 20 to 999 beats per minute"),
      ("tempo 1e9", "tempo 1e9: expected 20 to 999 beats per minute"),
      ("tempo 0x40", "tempo 0x40: expected 20 to 999 beats per minute"),
      ("tempo 1e2", "tempo 1e2: expected 20 to 999 beats per minute"),
      ("\u{1B}[2J", #"unknown command "\u{1B}[2J"; expected start, stop, tempo BPM or mode auto|link|jack"#),
    ])
  func `What is wrong with a line is said`(line: String, message: String) {
    #expect(throws: SettingsError(message)) { try Command(line: line) }
  }

  @Test func `No bytes are taken for a command that they are not`() {
    forAll(2000) { seed, random in
      let bytes = (0..<Int.random(in: 0...40, using: &random)).map { _ in
        UInt8.random(in: 0...255, using: &random)
      }
      let line = String(decoding: bytes, as: UTF8.self)
      #expect((try? Command(line: line)) == nil, "seed \(seed)")
    }
  }
}
