/// The client that publishes bar, beat, tick and tempo.
public enum TimebaseOwner: Sendable, BitwiseCopyable {
  /// The bridge.
  case me
  /// Another client.
  case other
  /// No client.
  case nobody

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
