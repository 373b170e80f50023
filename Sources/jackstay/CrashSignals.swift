import Glibc
import Synchronization

/// The signals by which the program crashes: it gives the terminal back, says so, and ends at once.
///
/// By default Swift's runtime stops all threads and looks for where the fault is, for up to half a minute, while the
/// JACK server waits for the client in each cycle, and the terminal stays as the program had it. Writing a core file
/// takes its time likewise, and the kernel closes no socket before. With `SWIFT_BACKTRACE` in the environment, and under
/// a sanitizer, a crash is what it is by default.
///
/// All that a handler uses is there before: it must neither allocate nor lock.
enum CrashSignals {
  private static let numbers = [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT]
  /// The terminal's mode before, while the program has another.
  nonisolated(unsafe) private static let mode = UnsafeMutablePointer<termios>.allocate(capacity: 1)
  private static let isModeChanged = Atomic(false)
  /// Whether the terminal shows the screen that is drawn on, and not the one before.
  private static let isScreenShown = Atomic(false)

  private static let closing: StaticString = "\u{1B}[0m\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"
  private static let lastWords: StaticString = """

    jackstay: error: the program has crashed, and has left JACK and the session. Start it again with \
    SWIFT_BACKTRACE=enable=yes, and report what it prints.

    """

  /// Has them end the program at once, from now on.
  ///
  /// The corresponding C function is `sigaction`.
  static func endAtOnce() {
    guard getenv("SWIFT_BACKTRACE") == nil, !isSanitized else { return }
    _ = (mode, isModeChanged.load(ordering: .relaxed), isScreenShown.load(ordering: .relaxed))
    _ = (closing.utf8CodeUnitCount, lastWords.utf8CodeUnitCount)
    var action = sigaction()
    action.__sigaction_handler.sa_handler = { CrashSignals.end(by: $0) }
    action.sa_flags = Int32(bitPattern: UInt32(SA_RESETHAND)) | Int32(SA_NODEFER) | Int32(SA_ONSTACK)
    for number in numbers { sigaction(number, &action, nil) }
  }

  /// Has a crash put the terminal into that mode; with `nil`, leave it as it is.
  static func restore(_ mode: termios?) {
    isModeChanged.store(false, ordering: .releasing)
    guard let mode else { return }
    self.mode.pointee = mode
    isModeChanged.store(true, ordering: .releasing)
  }

  /// Has a crash show the terminal's screen from before, or not.
  static func leaveScreen(_ isShown: Bool) { isScreenShown.store(isShown, ordering: .releasing) }

  /// In a handler. The corresponding C functions are `tcsetattr`, `write`, `setrlimit` and `raise`.
  private static func end(by number: Int32) {
    // In the background the terminal is another program's.
    if !Terminal.isInBackground(STDIN_FILENO) {
      if isScreenShown.load(ordering: .acquiring) { write(closing, to: STDOUT_FILENO) }
      if isModeChanged.load(ordering: .acquiring) { tcsetattr(STDIN_FILENO, TCSANOW, mode) }
    }
    write(lastWords, to: STDERR_FILENO)
    // No core file: 1 is what says so to a program that takes them, too.
    var limit = rlimit(rlim_cur: 1, rlim_max: 1)
    setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
    // The signal has its default now.
    raise(number)
  }

  /// Writes a text unless that would have to be waited for.
  private static func write(_ text: StaticString, to descriptor: Int32) {
    var wish = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    guard poll(&wish, 1, 0) > 0 else { return }
    _ = Glibc.write(descriptor, text.utf8Start, text.utf8CodeUnitCount)
  }

  /// Whether a sanitizer reports crashes.
  private static var isSanitized: Bool {
    guard let program = dlopen(nil, RTLD_LAZY) else { return false }
    defer { dlclose(program) }
    return ["__asan_init", "__tsan_init"].contains { (name: String) in dlsym(program, name) != nil }
  }
}
