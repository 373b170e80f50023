import MusicalTime
import Reconciliation
import Settings
import Testing

@Suite struct CommandReaderTests {
  /// The content of `pieces`, one after the other and to their end: commands, or errors.
  private func lines(_ pieces: [UInt8]...) -> [String] {
    var reader = CommandReader()
    var lines = pieces.flatMap { reader.take($0) }
    if let line = reader.end() { lines.append(line) }
    return lines.map { line in
      do throws(SettingsError) {
        let instruction = try Instruction(line: line.get())
        if case .command(let command) = instruction { return "\(command)" }
        return instruction.map { "\($0)" } ?? "nothing"
      } catch {
        return "error: \(error)"
      }
    }
  }

  @Test(arguments: ["start\nstop\n", "start\r\nstop\r\n", "\n start \n\n\tstop \n"])
  func `A line counts however it arrives`(text: String) {
    let bytes = Array(text.utf8)
    #expect(lines(bytes) == ["start", "stop"])
    for cut in bytes.indices {
      #expect(lines(Array(bytes[..<cut]), Array(bytes[cut...])) == ["start", "stop"])
    }
  }

  @Test func `The last line need not be ended`() {
    #expect(lines(Array("start\nstop".utf8)) == ["start", "stop"])
    #expect(lines(Array("stop".utf8)) == ["stop"])
    #expect(lines(Array("start\n   ".utf8)) == ["start"])
    #expect(lines([]) == [])
  }

  @Test func `A line that is too long is one error, and the next one counts`() {
    let expected = "expected \(Instruction.usage)"
    let long = Array(repeating: UInt8(ascii: "a"), count: 1_000_000)
    #expect(
      lines(long, Array("\nstart\n".utf8)) == [
        "error: command \"\(String(repeating: "a", count: 40))…\" is too long; \(expected)", "start",
      ])
    // Its end does not count either, however it is cut.
    #expect(
      lines(Array(repeating: 32, count: 257), Array("start".utf8)).map { $0.hasPrefix("error: ") } == [true])
  }

  @Test(
    arguments: [
      ([0x73, 0x74, 0x00], "st\\u{0}"), ([0xFF, 0xFE], "\u{FFFD}\u{FFFD}"), ([0xC3], "\u{FFFD}"),
      ([0x1B, 0x5B, 0x32, 0x4A], "\\u{1B}[2J"), ([0xE2, 0x80, 0xAE, 0x61], "\\u{202E}a"),
    ] as [([UInt8], String)])
  func `Bytes that are no text are one printable error`(bytes: [UInt8], echo: String) {
    #expect(
      lines(bytes + [10])
        == ["error: unknown command \"\(echo)\"; expected \(Instruction.usage)"])
  }
}
