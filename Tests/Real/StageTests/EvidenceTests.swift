import Glibc
import Testing

@testable import Stage

/// A failure can be understood from the evidence of a test.
@Suite(.serialized, .alone) struct EvidenceTests {
  private func evidence() throws -> Evidence { Evidence.soFar(of: try #require(Test.current), since: 0) }

  @Test func `Of each program its arguments, its last lines and its end are kept`() throws {
    for script in ["seq 100; echo why >&2; kill -ABRT $$", "exit 3"] {
      _ = try Child("sh", ["-c", script]).wait()
    }
    let running = try Child("sleep", ["600"])
    let processes = try evidence().processes
    #expect(
      processes.map(\.command) == ["sh -c seq 100; echo why >&2; kill -ABRT $$", "sh -c exit 3", "sleep 600"])
    #expect(
      processes.map(\.end) == ["ended by signal 6", "exited with code 3", "ran to the end of the test"])
    #expect(processes[0].lines == (61...100).map { "\($0)" } + ["why"])
    #expect(running.isRunning)
  }

  @Test func `A deadline that a server has missed counts, and a client that was ended does not`() throws {
    let server = try JackServer.started(period: 1024)
    let probe = try LinkProbe.start(server: server)
    try probe.send("wait 0.2")
    try server.suspend()
    usleep(200_000)
    server.resume()
    try probe.send("wait 0.3")
    probe.child.terminate()
    #expect(probe.reports.last?.word("end") == "SIGTERM")
    #expect(try #require(probe.reports.last?["late"]) > 0)
    #expect(try evidence().missed > 0)

    let line = "JackEngine::XRun: client = linkprobe was not finished, state = Triggered"
    let jackd = Evidence.Witness(command: "jackd -n a", record: Monitor(record(line)))
    #expect(jackd.missed == 0)
    let late = Evidence.Witness(
      command: "jackd -n a", record: Monitor(record("JackTimedDriver::Process XRun = 31 usec")))
    #expect(late.missed == 1)
  }

  private func record(_ line: String) -> ChildRecord {
    var record = ChildRecord(pid: 1)
    Array((line + "\n").utf8).withUnsafeBytes { record.errors.append($0) }
    return record
  }
}
