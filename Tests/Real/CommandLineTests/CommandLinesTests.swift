import Stage
import Testing

@Suite(.serialized, .alone)
struct CommandLinesTests {
  @Test func `Of many lines at once none is lost, nor the last, which nothing ends`() throws {
    let program = try Child(
      Products.path("jackstay"),
      environment: [
        "HOME": "/nowhere", "XDG_CONFIG_HOME": nil, "JACK_DEFAULT_SERVER": "jackstay-nobody",
        "JACK_NO_START_SERVER": "1",
      ], streams: .pipes)
    let lines = (1...2000).map { "odd\($0)" }
    try program.write(lines.joined(separator: "\n"))
    program.closeInput()
    try program.awaitLine(in: .errors, "the last line") { $0.contains("\"odd2000\"") }
    let told = program.lines(of: .errors).filter { $0.contains("unknown command") }
    #expect(told.count == lines.count)
    #expect(program.terminate().isSuccess)
  }
}
