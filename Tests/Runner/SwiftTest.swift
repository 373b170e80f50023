import Foundation
import Glibc

/// A call of `swift test`, which leaves an account of what happened.
struct SwiftTest {
  /// How the program ended: nil for success, otherwise in words.
  let fault: String?
  /// What its test library told.
  let run: TestRun

  /// Runs tests that have been built, and waits for the end; what is printed goes where ours goes.
  ///
  /// - Parameter arguments: What `swift test` is to be given besides, as a filter.
  init(_ arguments: [String]) {
    let events = FileManager.default.temporaryDirectory.appending(path: "tests-\(UUID().uuidString).jsonl")
    defer { try? FileManager.default.removeItem(at: events) }
    fault = Self.call(
      ["swift", "test", "--skip-build", "--disable-xctest", "--event-stream-version", "0"]
        + ["--event-stream-output-path", events.path] + arguments)
    run = TestRun(eventStream: (try? Data(contentsOf: events)) ?? Data())
  }

  /// A plain child, so that Ctrl-C reaches it too: `Process` would give it a process group of its own.
  private static func call(_ words: [String]) -> String? {
    var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) }
    defer { for argument in arguments { free(argument) } }
    arguments.append(nil)
    var process: pid_t = 0
    let error = posix_spawnp(&process, words[0], nil, nil, arguments, environ)
    guard error == 0 else { return "cannot be started: \(String(cString: strerror(error)))" }
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0 {
      guard errno == EINTR else { return "was lost: \(String(cString: strerror(errno)))" }
    }
    let signal = status & 0x7f
    guard signal == 0 else { return "ended by signal \(signal)" }
    let code = (status >> 8) & 0xff
    return code == 0 ? nil : "exited with code \(code)"
  }
}
