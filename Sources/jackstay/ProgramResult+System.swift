import Glibc

extension ProgramResult {
  /// Says what there is to say, and ends the program.
  ///
  /// The corresponding C function is `exit`.
  func end() -> Never {
    switch self {
    case .output(let text): exit(print(text, on: STDOUT_FILENO) ? 0 : 1)
    case .usage(let reason):
      _ = print("jackstay: \(reason)", on: STDERR_FILENO)
      exit(2)
    case .finished(let code): exit(code)
    }
  }

  /// Writes a line in one piece, and tells whether that succeeded. The corresponding C function is `write`.
  private func print(_ line: String, on descriptor: Int32) -> Bool {
    var rest = Array("\(line)\n".utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
      if count >= 0 {
        rest = rest.dropFirst(count)
      } else if errno != EINTR {
        return false
      }
    }
    return true
  }
}
