import Glibc
import Stage
import Testing

/// What becomes of commands that no server carries out.
@Suite(.serialized, .alone) struct CommandOutcomeTests {
  @Test func `Without a server a mode is kept, and that is said; anything else is refused`() throws {
    let server = JackServer()
    let bridge = try Child(Products.path("jackstay"), environment: server.environment, streams: .pipes)
    try bridge.awaitLine(in: .errors) { $0.contains("waiting for a JACK server") }
    for command in ["start", "stop", "tempo 90"] {
      let first = bridge.lines(of: .errors).count
      try bridge.write("\(command)\n")
      try bridge.awaitLine(in: .errors, from: first, command) {
        $0.hasPrefix("jackstay: error: there is no JACK server to do that; start one")
      }
    }
    let first = bridge.lines(of: .errors).count
    try bridge.write("mode jack\n")
    let line = try bridge.awaitLine(in: .errors, from: first) { $0.contains("there is no JACK server") }
    #expect(line.text == "jackstay: there is no JACK server yet: that holds from when there is one")

    try server.start()
    try bridge.awaitLine(in: .errors) { $0.contains("connected to JACK") }
    usleep(1_500_000)
    #expect(!bridge.text(of: .errors).contains("we own the timebase"))
    try bridge.write("mode auto\n")
    try bridge.awaitLine(in: .errors, "the timebase") { $0.contains("we own the timebase") }
  }
}
