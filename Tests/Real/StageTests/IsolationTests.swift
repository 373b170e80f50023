import Foundation
import Stage
import Testing

@Suite(.serialized, .alone) struct IsolationTests {
  @Test func `The process is alone in its network`() throws {
    #expect(Isolation.status == .isolated)
    let interfaces = try String(contentsOfFile: "/proc/net/dev", encoding: .utf8)
      .split(separator: "\n").dropFirst(2)
      .map { $0.prefix { $0 != ":" }.trimmingCharacters(in: .whitespaces) }
    // A kernel may put tunnels of its own into every namespace; they are down.
    #expect(interfaces.contains("lo"))
    #expect(!interfaces.contains { $0.hasPrefix("e") || $0.hasPrefix("w") })
    #expect(try String(contentsOfFile: "/proc/net/route", encoding: .utf8).split(separator: "\n").count == 1)
  }

  @Test func `Children are in the same network as their parent`() throws {
    let child = try Child("readlink", ["/proc/self/ns/net"])
    #expect(try child.wait().isSuccess)
    #expect(child.lines() == [try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/ns/net")])
  }

  @Test func `The user keeps his name`() throws {
    let child = try Child("id", ["-u"])
    #expect(try child.wait().isSuccess)
    #expect(child.lines() == ["\(getuid())"])
  }

  @Test func `The call that refuses isolation is reported in one line`() {
    let error = StageError.notIsolated(step: "unshare(CLONE_NEWUSER)", errorNumber: EPERM)
    #expect(error.description.contains("unshare(CLONE_NEWUSER): Operation not permitted"))
    #expect(!error.description.contains("\n"))
  }
}
