import Foundation
import Stage
import Testing

@Suite(.serialized, .alone) struct ChildTests {
  @Test func `Output and errors are kept apart`() throws {
    let child = try Child("sh", ["-c", "echo one; echo two >&2; printf three; exit 4"])
    #expect(try child.wait() == .exited(4))
    #expect(child.lines() == ["one", "three"])
    #expect(child.text() == "one\nthree")
    #expect(child.lines(of: .errors) == ["two"])
    #expect(!child.isRunning)
    #expect(child.cpuTime == nil)
  }

  @Test func `A line is awaited while the child goes on`() throws {
    let child = try Child("cat", streams: .pipes)
    try child.write("alpha\n")
    #expect(try child.awaitLine { $0 == "alpha" }.index == 0)
    try child.write("alpha\nbeta\n")
    #expect(try child.awaitLine(from: 1) { $0 == "alpha" }.index == 1)
    #expect(child.cpuTime != nil)
    child.closeInput()
    #expect(try child.wait().isSuccess)
  }

  @Test func `A wait in vain ends with the child's output`() throws {
    let child = try Child("sh", ["-c", "echo only this; exec sleep 60"])
    try child.awaitLine { $0 == "only this" }
    let late = #expect(throws: StageError.self) { () throws -> Void in
      try child.awaitLine(timeout: .milliseconds(200)) { $0 == "something else" }
    }
    #expect(late?.description.contains("only this") == true)
    child.kill()
    #expect(throws: StageError.self) { try child.awaitLine { $0 == "something else" } }
  }

  @Test func `A program that does not exist is an error`() {
    #expect(throws: StageError.self) { try Child("no-such-program-anywhere") }
    #expect(throws: StageError.self) { try Child("/etc/passwd") }
  }

  @Test func `A child that ignores SIGTERM is killed after the grace`() throws {
    let child = try Child("sh", ["-c", "trap '' TERM; echo ready; while :; do sleep 0.1; done"])
    try child.awaitLine { $0 == "ready" }
    #expect(child.terminate(grace: .milliseconds(200)) == .signalled(SIGKILL))
  }

  @Test func `A suspended child can be terminated`() throws {
    let child = try Child("sleep", ["60"])
    child.signal(SIGSTOP)
    #expect(child.isRunning)
    #expect(child.terminate() == .signalled(SIGTERM))
    #expect(!child.signal(SIGTERM))
  }

  @Test func `A child ends with its object`() throws {
    var child: Child? = try Child("sleep", ["60"])
    let pid = try #require(child?.pid)
    child = nil
    #expect(kill(pid, 0) != 0)
  }

  @Test func `A child dies with the process that started it, however that ends`() async throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
    defer { unlink(file) }
    await #expect(processExitsWith: .signal(SIGKILL)) { [file = file as String] in
      let child = try Child("sleep", ["60"])
      try "\(child.pid)".write(toFile: file, atomically: true, encoding: .utf8)
      kill(getpid(), SIGKILL)
      withExtendedLifetime(child) {}
    }
    let pid = try #require(Int32(try String(contentsOfFile: file, encoding: .utf8)))
    var hasEnded = false
    for _ in 0..<2000 where !hasEnded {
      try await Task.sleep(for: .milliseconds(10))
      let stat = (try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)) ?? ") Z"
      hasEnded = stat.contains(") Z")  // whoever adopted it may be slow to reap it
    }
    #expect(hasEnded)
  }

  @Test func `Only the standard streams are inherited`() throws {
    let leak = open("/dev/null", O_RDONLY)
    defer { close(leak) }
    let child = try Child("ls", ["/proc/self/fd"])
    #expect(try child.wait().isSuccess)
    #expect(child.lines().filter { $0 != "3" } == ["0", "1", "2"])  // 3 is the listed folder itself
  }

  @Test func `A terminal is one to the child and has a size`() throws {
    let child = try Child(
      "sh", ["-c", "test -t 0 && test -t 1 && ! test -t 2 && stty size"], streams: .terminal)
    #expect(try child.wait().isSuccess)
    #expect(child.lines() == ["30 120"])
    let all = try Child(
      "sh", ["-c", "test -t 2 && tput cols"], environment: ["TERM": "xterm"],
      streams: .terminalWithErrors)
    #expect(try all.wait().isSuccess)
    #expect(all.lines() == ["120"])
  }

  @Test func `A live line is seen before it ends`() throws {
    let child = try Child(
      "sh", ["-c", "printf 'a\\rb'; read line; printf 'got %s' $line"], streams: .terminal)
    try child.awaitText { $0 == "a\rb" }
    try child.write("x\n")
    try child.awaitText { $0.hasSuffix("got x") }
    #expect(try child.wait().isSuccess)
  }

  @Test func `The environment differs where asked`() throws {
    let child = try Child(
      "sh", ["-c", "echo ${NEW-unset} ${HOME-unset}"], environment: ["NEW": "1", "HOME": nil])
    #expect(try child.wait().isSuccess)
    #expect(child.lines() == ["1 unset"])
  }

  @Test func `Arguments need not be text`() throws {
    let child = try Child(
      "sh", bytes: ["-c", "printf %s \"$1\" | od -An -tx1", "sh"].map { Array($0.utf8) } + [[0xFF, 0x61]])
    #expect(try child.wait().isSuccess)
    #expect(child.lines() == [" ff 61"])
  }

  @Test func `Writing to a child that has gone is an error and no signal`() throws {
    let child = try Child("true", streams: .pipes)
    _ = try child.wait()
    #expect(throws: StageError.self) { try child.write("x") }
  }

  @Test func `Many children leave no thread and no descriptor behind`() throws {
    func count(_ what: String) throws -> Int {
      try FileManager.default.contentsOfDirectory(atPath: "/proc/self/\(what)").count
    }
    for _ in 0..<3 { _ = try Child("true").wait() }
    let descriptors = try count("fd")
    let threads = try count("task")
    for _ in 0..<50 {
      let child = try Child("true", streams: .pipes)
      #expect(try child.wait().isSuccess)
    }
    _ = try Child("true").wait()
    // The test library itself opens some; a leak would be of 50.
    #expect(try count("fd") < descriptors + 20)
    #expect(try count("task") < threads + 20)
  }
}
