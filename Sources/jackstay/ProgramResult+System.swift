import Glibc

extension ProgramResult {
  /// Says what there is to say, and ends the program.
  ///
  /// The corresponding C function is `exit`.
  func end() -> Never {
    switch self {
    case .output(let text): exit(StandardStreams.print(text) ? 0 : 1)
    case .usage(let reason): fail(reason, with: 2)
    case .failure(let reason): fail(reason, with: 1)
    case .finished(let code): exit(code)
    }
  }

  private func fail(_ reason: String, with code: Int32) -> Never {
    _ = StandardStreams.print("jackstay: \(reason)", on: STDERR_FILENO)
    exit(code)
  }
}
