import Glibc
import Host

/// Standard input, output and error.
enum StandardStreams {
  /// Opens those that the program's parent has closed, on nothing.
  ///
  /// Otherwise the next socket of JACK's or Link's takes the place of standard error, and lines of the log go
  /// into it. The corresponding C function is `open`.
  static func ensureOpen() {
    for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(descriptor, F_GETFD) < 0 {
      // The lowest free number is given, which is this one.
      _ = open("/dev/null", O_RDWR)
    }
  }

  /// Writes a line in one piece, and tells whether that succeeded.
  static func print(_ line: String, on descriptor: Int32 = STDOUT_FILENO) -> Bool {
    Descriptor.writeAll("\(line)\n".utf8, to: descriptor)
  }

  /// Writes a question, after which an answer is typed in the same line, and tells whether that succeeded.
  static func ask(_ question: String) -> Bool { Descriptor.writeAll(question.utf8, to: STDOUT_FILENO) }
}
