/// Who tells JACK's clients where the music is.
public enum TimebaseOwner: Sendable, BitwiseCopyable {
  /// The bridge.
  case me
  /// Another client.
  case other
  /// Nobody.
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
