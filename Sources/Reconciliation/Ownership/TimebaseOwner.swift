/// The client that publishes bar, beat, tick and tempo.
public enum TimebaseOwner: Sendable, BitwiseCopyable {
  /// The bridge.
  case me
  /// Another client.
  case other
  /// No client.
  case nobody

  /// Whether both are the same. Realtime-safe, as the compiler's own comparison is not.
  @_noLocks
  public static func == (left: TimebaseOwner, right: TimebaseOwner) -> Bool {
    switch (left, right) {
    case (.me, .me), (.other, .other), (.nobody, .nobody): true
    case (.me, _), (.other, _), (.nobody, _): false
    }
  }

  /// Whether it is the bridge.
  public var isMe: Bool {
    @_noLocks get {
      switch self {
      case .me: true
      case .other, .nobody: false
      }
    }
  }
}
