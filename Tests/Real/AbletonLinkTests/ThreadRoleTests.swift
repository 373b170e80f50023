import Testing
import Typechecking

extension AbletonLinkTests {
  @Suite("Thread roles")
  struct ThreadRoleTests {
    @Test func `A state committed where it was captured compiles`() throws {
      #expect(try typecheck("link.commit(link.captureSessionState())") == "")
      #expect(try typecheck("audio.commit(audio.captureSessionState())") == "")
    }

    @Test(
      arguments: [
        ("link.commit(audio.captureSessionState())", "'SessionState<AudioThread>'"),
        ("audio.commit(link.captureSessionState())", "'SessionState<AppThread>'"),
      ])
    func `A state committed on the other side does not compile`(statement: String, type: String) throws {
      let output = try typecheck(statement)
      #expect(output.contains("error: cannot convert value of type \(type) to expected argument type"))
    }

    /// The compiler's messages about `statement`, given a link and its audio thread's access.
    private func typecheck(_ statement: String) throws -> String {
      try Typechecking.diagnostics(
        of: """
          import AbletonLink
          func use(link: Link, audio: AudioThreadAccess) { \(statement) }
          """)
    }
  }
}
