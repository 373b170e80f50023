import Foundation
import Glibc
import Stage
import Testing

/// The thief takes its announced share, from all other threads, and nothing else.
@Suite(.serialized, .alone) struct ThiefTests {
  private func plan(_ arguments: String...) throws -> [[Double]] {
    let thief = try Child(Products.path("thief"), arguments + ["--plan", "400"])
    #expect(try thief.wait().isSuccess)
    return thief.lines().map { line in line.split(separator: " ").compactMap { Double($0) } }
  }

  @Test func `The same seed takes the same slices, and each core has its own`() throws {
    let slices = try plan("--seed", "7")
    #expect(slices.count == 400 * Victim.cores.count)
    #expect(try plan("--seed", "7") == slices)
    #expect(try plan("--seed", "8") != slices)
    let first = try #require(Victim.cores.first.map(Double.init))
    let others = slices.filter { $0[0] != first }.map { [$0[1], $0[2]] }
    #expect(!slices.filter { $0[0] == first }.contains { others.contains([$0[1], $0[2]]) })
  }

  @Test(arguments: [0.05, 0.15, 0.5])
  func `Slices are of 3 to 20 ms, and together the share of each core that was asked for`(share: Double)
    throws
  {
    for (_, slices) in Dictionary(grouping: try plan("--share", "\(share)"), by: { $0[0] }) {
      #expect(slices.allSatisfy { (3000...20_000).contains($0[2]) && $0[1] >= 5000 })
      let taken = slices.reduce(0) { $0 + $1[2] }
      let part = taken / slices.reduce(taken) { $0 + $1[1] }
      #expect(abs(part / share - 1) < 0.1, "\(part)")
    }
  }

  @Test(.enabled(if: RealtimeScheduling.isPermitted, "the system permits no real-time priority"))
  func `The thief takes about its announced share from a victim on each core, and no longer than it lives`()
    throws
  {
    let share = 0.25
    let thief = try Child(Products.path("thief"), ["--share", "\(share)", "--seed", "3"])
    try thief.awaitLine { $0 == "stealing" }
    let lost = try Victim.timeLost(during: .seconds(2))
    #expect(thief.terminate() == .signalled(SIGTERM))
    let without = try Victim.timeLost(during: .seconds(1))
    for core in Victim.cores {
      // The share that the machine's own host takes comes on top.
      let taken = try #require(lost[core]) - #require(without[core])
      #expect((0.6 * share...1.5 * share).contains(taken), "core \(core): \(lost), without \(without)")
    }
  }

  @Test(.enabled(if: RealtimeScheduling.isPermitted, "the system permits no real-time priority"))
  func `Beside it the test runner finds the machine not quiet`() throws {
    // The program to run is one that sleeps.
    let folder = FileManager.default.temporaryDirectory.appending(path: "sleeper-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let program = folder.appending(path: "tests")
    try "#!/bin/sh\nsleep 1.5\n".write(to: program, atomically: true, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program.path)
    let runner = try Child(
      Products.path("testrunner"), ["--rough=3", "--filter", "All"],
      environment: [
        "JACKSTAY_TESTS": program.path, "JACKSTAY_LEDGER": folder.appending(path: "flakes").path,
      ])
    _ = try runner.wait()
    let line = try #require(runner.lines().first { $0.hasPrefix("the machine: ") })
    #expect(line.hasPrefix("the machine: not quiet, "), "\(line)")
    let shares = line.matches(of: /(\d+\.\d) %[, ](?!\))/).compactMap { Double($0.output.1) }
    #expect(shares.count >= Victim.cores.count, "\(line)")
    for share in shares.prefix(Victim.cores.count) { #expect((5...40).contains(share), "\(line)") }
  }

  @Test(.enabled(if: RealtimeScheduling.isPermitted, "the system permits no real-time priority"))
  func `It ends after its seconds, and with its parent`() throws {
    let thief = try Child(Products.path("thief"), ["--seconds", "0.2"])
    #expect(try thief.wait(timeout: .seconds(10)).isSuccess)
    let parent = try Child("sh", ["-c", "\(Products.path("thief")) & echo $!; wait"])
    let pid = try #require(Int32(parent.awaitLine { Int32($0) != nil }.text))
    try parent.awaitLine { $0 == "stealing" }
    parent.kill()
    #expect(eventuallyGone(pid))
  }

  private func eventuallyGone(_ pid: Int32) -> Bool {
    for _ in 0..<2000 {
      let stat = (try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)) ?? ") Z"
      if stat.contains(") Z") { return true }  // whoever adopted it may be slow to reap it
      usleep(5000)
    }
    return false
  }

  @Test(arguments: [
    (["--share", "0.6"], "thief: --share 0.6: expected a number from 0.01 to 0.5, for example --share 0.01"),
    (["--share", "nan"], "thief: --share nan: expected a number from 0.01 to 0.5, for example --share 0.01"),
    (["--seconds"], "thief: --seconds without a value: expected a number from 0 to 86400"),
    (["--seed", "-1"], "thief: --seed -1: expected a number from 0"),
    (["--sheed", "1"], "thief: unknown option --sheed; expected --share, --seed, --seconds or --plan"),
  ])
  func `Wrong arguments are reported in one line`(words: [String], line: String) throws {
    let thief = try Child(Products.path("thief"), words)
    #expect(try thief.wait() == .exited(2))
    let lines = thief.lines(of: .errors)
    #expect(lines.count == 1 && lines[0].hasPrefix(line), "\(lines)")
    #expect(thief.text().isEmpty)
  }

  @Test(.enabled(if: Child.locate("setpriv") != nil && geteuid() == 0))
  func `Where there is no real-time priority it reports that in one line, with the remedy`() throws {
    // Without the capability, and with no limit raised, as for any user.
    let thief = try Child(
      "setpriv", ["--bounding-set", "-sys_nice", "--inh-caps", "-sys_nice", Products.path("thief")])
    #expect(try thief.wait() == .exited(1))
    let lines = thief.lines(of: .errors)
    #expect(lines.count == 1, "\(lines)")
    #expect(
      lines.first?.hasPrefix("thief: no real-time priority (Operation not permitted): run as root") == true)
  }
}
