import Glibc

/// What the program needs to know of the terminal it may run in.
enum Terminal {
  /// Whether people read standard error as it comes.
  static var isStandardError: Bool { isatty(STDERR_FILENO) == 1 }

  /// The width of a line, 80 where the terminal does not say.
  static var columns: Int {
    var size = winsize()
    guard ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return Int(size.ws_col)
  }
}
