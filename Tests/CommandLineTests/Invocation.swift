import Foundation
import Glibc

/// One run of the built program: what it was given, and what it answered.
struct Invocation {
  let exitCode: Int32
  let output: String
  let errors: String

  /// Runs `jackstay` with `arguments`, which need not be text, in an empty home, and waits for its end.
  ///
  /// The output goes to files, not pipes, so that none can fill up and hold the program.
  init(_ arguments: [[UInt8]], home: URL? = nil) throws {
    let directory = FileManager.default.temporaryDirectory.appending(path: "jackstay-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    let output = directory.appending(path: "output")
    let errors = directory.appending(path: "errors")

    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    for (descriptor, file) in [(STDOUT_FILENO, output), (STDERR_FILENO, errors)] {
      posix_spawn_file_actions_addopen(&actions, descriptor, file.path, O_WRONLY | O_CREAT, 0o600)
    }

    let program = Self.program
    let words = ([Array(program.utf8)] + arguments).map { $0.map(CChar.init(bitPattern:)) + [0] }
    let environment = ["HOME=\((home ?? directory).path)", "PATH=/usr/bin:/bin"]
    var child: pid_t = 0
    let result = withCStrings(words) { argv in
      withCStrings(environment.map { Array($0.utf8CString) }) { envp in
        posix_spawn(&child, program, &actions, nil, argv, envp)
      }
    }
    guard result == 0 else { throw POSIXError(POSIXErrorCode(rawValue: result) ?? .EIO) }
    var status: Int32 = 0
    while waitpid(child, &status, 0) < 0 && errno == EINTR {}

    // The number of the signal is in the low seven bits, the exit code in the next eight.
    exitCode = status & 0x7F == 0 ? status >> 8 & 0xFF : -(status & 0x7F)
    self.output = String(decoding: try Data(contentsOf: output), as: UTF8.self)
    self.errors = String(decoding: try Data(contentsOf: errors), as: UTF8.self)
  }

  /// Runs `jackstay` with `arguments`.
  init(_ arguments: String..., home: URL? = nil) throws {
    try self.init(arguments.map { Array($0.utf8) }, home: home)
  }

  /// The program that was built along with these tests: it lies beside their executable.
  private static let program =
    URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
    .appending(path: "jackstay").path
}

/// Calls `body` with a NULL-terminated array of C strings.
private func withCStrings<Result>(
  _ strings: [[CChar]], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
) -> Result {
  let copies: [UnsafeMutablePointer<CChar>?] = strings.map { string in
    string.withUnsafeBufferPointer { $0.baseAddress.flatMap { strdup($0) } }
  }
  defer { copies.forEach { free($0) } }
  return body(copies + [nil])
}
