import Foundation
import Testing

extension AbletonLinkTests {
  @Suite("Thread roles")
  struct ThreadRoleTests {
    @Test("A state committed where it was captured compiles")
    func right() throws {
      #expect(try typecheck("link.commit(link.captureSessionState())") == "")
      #expect(try typecheck("audio.commit(audio.captureSessionState())") == "")
    }

    @Test(
      "A state committed on the other side does not compile",
      arguments: [
        ("link.commit(audio.captureSessionState())", "'SessionState<AudioThread>'"),
        ("audio.commit(link.captureSessionState())", "'SessionState<AppThread>'"),
      ])
    func wrong(statement: String, type: String) throws {
      let output = try typecheck(statement)
      #expect(output.contains("error: cannot convert value of type \(type) to expected argument type"))
    }

    /// What the compiler says of `statement`, given a link and its audio thread's access.
    private func typecheck(_ statement: String) throws -> String {
      let products = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
      let process = Process()
      process.executableURL = URL(filePath: "/usr/bin/env")
      process.arguments = [
        "swiftc", "-typecheck", "-swift-version", "6",
        "-I", products.appending(path: "Modules").path,
        "-Xcc", "-fmodule-map-file=\(products.appending(path: "CAbletonLink.build/module.modulemap").path)",
        "-",
      ]
      let input = Pipe()
      let output = Pipe()
      process.standardInput = input
      process.standardError = output
      try process.run()
      input.fileHandleForWriting.write(
        Data(
          """
          import AbletonLink
          func use(link: Link, audio: AudioThreadAccess) { \(statement) }
          """.utf8))
      try input.fileHandleForWriting.close()
      let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      process.waitUntilExit()
      return text
    }
  }
}
