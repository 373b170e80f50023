import Glibc
import Logging

/// systemd's journal, when standard error goes there: each line then begins with its priority.
enum Journal {
  /// Whether standard error is the stream that the environment variable `JOURNAL_STREAM` names, as
  /// `DEVICE:INODE`. The corresponding C function is `fstat`.
  static func isStandardError(environment: [String: String]) -> Bool {
    guard let stream = environment["JOURNAL_STREAM"] else { return false }
    var found = stat()
    return fstat(STDERR_FILENO, &found) == 0 && stream == "\(found.st_dev):\(found.st_ino)"
  }

  /// The beginning of a line of that severity, as sd-daemon(3) has it.
  static func prefix(of level: Logger.Level) -> String {
    switch level {
    case .trace, .debug: "<7>"
    case .info: "<6>"
    case .notice: "<5>"
    case .warning: "<4>"
    case .error: "<3>"
    case .critical: "<2>"
    }
  }
}
