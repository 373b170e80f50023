import CMachine
import Foundation
import Glibc
import Synchronization

/// The programs that the runner has started and that have not ended: when it is ended, they are.
enum Offspring {
  struct Refusal: Error { let reason: String }

  private static let running = Mutex<Set<pid_t>>([])

  /// Makes a pipe of which no program gets an end but as its output. Returns whether it could.
  static func pipe(_ ends: inout [Int32]) -> Bool {
    // No program may be started in between: it would hold an end open.
    running.withLock { _ in
      guard Glibc.pipe(&ends) == 0 else { return false }
      for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
      return true
    }
  }

  /// Starts a program.
  ///
  /// A plain child, so that Ctrl-C reaches it too: `Process` would give it a process group of its own.
  ///
  /// - Parameters:
  ///   - words: Its name or path, and its arguments.
  ///   - more: Variables that are added to this process's.
  ///   - output: Where its output and its errors go; -1 for where this process's go.
  ///   - isIdle: Whether it runs only while no other program wants the core.
  /// - Returns: Its process id, or why it could not be started.
  static func spawn(
    _ words: [String], environment more: [String: String] = [:], output: Int32 = -1, isIdle: Bool = false
  ) -> Result<pid_t, Refusal> {
    var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) }
    let all = ProcessInfo.processInfo.environment.merging(more) { $1 }
    var variables: [UnsafeMutablePointer<CChar>?] = all.map { strdup("\($0)=\($1)") }
    defer { for text in arguments + variables { free(text) } }
    arguments.append(nil)
    variables.append(nil)
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    if output >= 0 {
      for stream in [STDOUT_FILENO, STDERR_FILENO] {
        posix_spawn_file_actions_adddup2(&actions, output, stream)
      }
    }
    // They get the signals that one of this process's threads waits for.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    // Which a shell's background ignores.
    var interrupt = sigset_t()
    sigemptyset(&interrupt)
    sigaddset(&interrupt, SIGINT)
    posix_spawnattr_setsigdefault(&attributes, &interrupt)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
    return running.withLock { running in
      var process: pid_t = 0
      let error = posix_spawnp(&process, words[0], &actions, &attributes, arguments, variables)
      guard error == 0 else { return .failure(Refusal(reason: String(cString: strerror(error)))) }
      running.insert(process)
      if isIdle { _ = machine_make_idle(process) }
      return .success(process)
    }
  }

  /// Runs a program to its end, and returns its output; nil when it could not, or did not succeed.
  static func output(of words: [String]) -> String? {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) else { return nil }
    let child = spawn(words, output: ends[1])
    close(ends[1])
    let text = FileHandle(fileDescriptor: ends[0], closeOnDealloc: true).readDataToEndOfFile()
    guard case .success(let process) = child, wait(for: process) == nil else { return nil }
    return String(decoding: text, as: UTF8.self)
  }

  /// Waits for a program's end, and returns it in words; nil for success.
  static func wait(for process: pid_t) -> String? {
    // Looked at before it is reaped, so that no other process of its number is ended.
    var info = siginfo_t()
    while waitid(P_PID, id_t(process), &info, WEXITED | WNOWAIT) < 0, errno == EINTR {}
    running.withLock { _ = $0.remove(process) }
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0 {
      guard errno == EINTR else { return "was lost: \(String(cString: strerror(errno)))" }
    }
    let signal = status & 0x7f
    guard signal == 0 else { return "ended by signal \(signal)" }
    let code = (status >> 8) & 0xff
    return code == 0 ? nil : "exited with code \(code)"
  }

  /// Ends one program, and waits for its end.
  static func end(_ process: pid_t) {
    kill(process, SIGTERM)
    _ = wait(for: process)
  }

  /// Has a signal that ends the runner end all of them first.
  static func dieWithUs() {
    let signals = [SIGINT, SIGTERM, SIGHUP]
    var set = sigset_t()
    sigemptyset(&set)
    for signal in signals { sigaddset(&set, signal) }
    // Taken by a thread that waits for them, and by no other.
    pthread_sigmask(SIG_BLOCK, &set, nil)
    let awaited = set
    Thread.detachNewThread {
      var set = awaited
      var signal: Int32 = 0
      sigwait(&set, &signal)
      // The signal that `swift test` passes on to the tests it has started; SIGTERM it does not.
      running.withLock { for process in $0 { kill(process, SIGINT) } }
      _exit(128 + signal)
    }
  }
}
