import Foundation
import Glibc
import Stage
import Testing
import Typechecking

/// `Scripts/in-debian`, where it cannot work.
@Suite(.serialized, .alone) struct OtherDebianTests {
  private let folder: RuntimeFolder

  init() throws { folder = try RuntimeFolder() }

  /// The errors that the script prints, where the machine has no programs but these.
  private func refusal(programs: [String]) throws -> (is77: Bool, lines: [String]) {
    let script = Typechecking.packageRoot.appending(path: "Scripts/in-debian").path
    let programs =
      programs + [
        "bash", "dirname", "flock", "grep", "head", "id", "mkdir", "rm", "sed", "tail", "true", "unshare",
      ]
    for program in programs where !FileManager.default.fileExists(atPath: "\(folder.path)/\(program)") {
      let path = try #require(Child.locate(program), "\(program)")
      try FileManager.default.createSymbolicLink(
        atPath: "\(folder.path)/\(program)", withDestinationPath: path)
    }
    let child = try Child(
      script, ["--fresh", "bookworm", "true"],
      environment: ["PATH": folder.path, "DEBIAN_ROOTS": "\(folder.path)/roots"])
    return (try child.wait() == .exited(77), child.lines(of: .errors))
  }

  @Test func `Where there can be no other Debian, one line has the reason, and the exit status is 77`() throws
  {
    let isRoot = geteuid() == 0
    let without = try refusal(programs: [])
    #expect(without.is77 && without.lines.count == 1, "\(without)")
    let reason = isRoot ? "debootstrap is missing" : "root's rights"
    #expect(without.lines.first?.contains(reason) == true, "\(without)")
    // A debootstrap that cannot reach the archive.
    let broken = "#!/bin/sh\necho 'I: Retrieving InRelease'\necho 'E: Failed getting release file'\nexit 1\n"
    let path = "\(folder.path)/debootstrap"
    try broken.write(toFile: path, atomically: true, encoding: .utf8)
    #expect(chmod(path, 0o755) == 0)
    let failed = try refusal(programs: [])
    #expect(failed.is77 && failed.lines.count == 1, "\(failed)")
    #expect(
      failed.lines.first?.contains(isRoot ? "Failed getting release file" : reason) == true, "\(failed)")
  }
}
