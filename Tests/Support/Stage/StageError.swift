import Glibc

/// Why the stage could not be set or a wait on it did not end well.
public enum StageError: Error, Sendable, Equatable {
  /// The process runs in the machine's network.
  case notIsolated(step: String, errorNumber: Int32)
  /// A program could not be started.
  case notStarted(program: String, step: String, errorNumber: Int32)
  /// An event did not happen in time; the transcript has the child's last lines.
  case timedOut(awaiting: String, transcript: String)
  /// The child ended before the awaited event.
  case ended(awaiting: String, status: ExitStatus, transcript: String)
  /// Anything else, in words.
  case unusable(String)
}

extension StageError: CustomStringConvertible {
  /// One line for people, and the child's last words where there are any.
  public var description: String {
    switch self {
    case .notIsolated(let step, let number):
      """
      no network namespace of its own (\(step): \(reason(number))): run as root or allow user namespaces \
      (sysctl user.max_user_namespaces, kernel.unprivileged_userns_clone, \
      kernel.apparmor_restrict_unprivileged_userns)
      """
    case .notStarted(let program, let step, let number):
      "cannot start \(program) (\(step): \(reason(number)))"
    case .timedOut(let awaited, let transcript): "no \(awaited) in time\(quotation(transcript))"
    case .ended(let awaited, let status, let transcript):
      "\(status) before \(awaited)\(quotation(transcript))"
    case .unusable(let text): text
    }
  }

  private func reason(_ number: Int32) -> String { String(cString: strerror(number)) }
  private func quotation(_ transcript: String) -> String { transcript.isEmpty ? "" : ":\n\(transcript)" }
}
