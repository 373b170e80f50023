import Glibc

/// The properties of the terminal that the program may run in.
enum Terminal {
  /// Whether people read standard error as it comes.
  static var isStandardError: Bool { isatty(STDERR_FILENO) == 1 }

  /// Whether people type what the program reads.
  static var isStandardInput: Bool { isatty(STDIN_FILENO) == 1 }

  /// The width of a line, 80 where the terminal does not say.
  static var columns: Int {
    var size = winsize()
    guard ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return Int(size.ws_col)
  }

  /// Whether `descriptor` is the terminal that the program was started from, and another program has it now.
  static func isInBackground(_ descriptor: Int32) -> Bool {
    let foreground = tcgetpgrp(descriptor)
    return foreground > 0 && foreground != getpgrp()
  }
}
