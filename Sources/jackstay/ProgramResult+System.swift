import Glibc

extension ProgramResult {
  /// Says what there is to say, and ends the program.
  ///
  /// The corresponding C function is `exit`.
  func end() -> Never {
    switch self {
    case .output(let text): exit(StandardStreams.print(text) ? 0 : 1)
    case .usage(let reasons): fail(reasons, with: 2)
    case .failure(let reason): fail([reason], with: 1)
    case .finished(let code): exit(code)
    }
  }

  /// As many lines as a screen has; what is wrong everywhere is no configuration file.
  private static let mostLines = 20

  private func fail(_ reasons: [String], with code: Int32) -> Never {
    for reason in reasons.prefix(Self.mostLines) {
      _ = StandardStreams.print("jackstay: \(reason)", on: STDERR_FILENO)
    }
    if reasons.count > Self.mostLines {
      _ = StandardStreams.print(
        "jackstay: there are \(reasons.count - Self.mostLines) more faults", on: STDERR_FILENO)
    }
    exit(code)
  }
}
