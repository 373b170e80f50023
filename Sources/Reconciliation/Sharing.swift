/// The direction in which tempo, or starts and stops, pass between JACK and the session.
public enum Sharing: String, Sendable, BitwiseCopyable, CaseIterable {
  /// In both directions.
  case both
  /// From the session to JACK: the session is left alone.
  case receive
  /// From JACK to the session: peers change nothing in JACK.
  case send
  /// In no direction.
  case off

  /// Whether JACK follows the session. Realtime-safe.
  public var receives: Bool {
    @inline(__always) @_noLocks get {
      switch self {
      case .both, .receive: true
      case .send, .off: false
      }
    }
  }

  /// Whether the session follows JACK. Realtime-safe.
  public var sends: Bool {
    @inline(__always) @_noLocks get {
      switch self {
      case .both, .send: true
      case .receive, .off: false
      }
    }
  }

  /// Whether it is another direction. Realtime-safe, as a comparison is not.
  @inline(__always) @_noLocks
  func differs(from other: Sharing) -> Bool { sends != other.sends || receives != other.receives }
}
