/// How a child ended.
public enum ExitStatus: Sendable, Hashable {
  /// By itself, with this code.
  case exited(Int32)
  /// By this signal.
  case signalled(Int32)

  /// Whether it ended by itself with code 0.
  public var isSuccess: Bool { self == .exited(0) }
}

extension ExitStatus: CustomStringConvertible {
  /// In words.
  public var description: String {
    switch self {
    case .exited(let code): "exited with code \(code)"
    case .signalled(let signal): "ended by signal \(signal)"
    }
  }
}
