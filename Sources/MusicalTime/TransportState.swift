/// The state of JACK's transport: stopped, starting, or rolling.
///
/// The corresponding C type is `jack_transport_state_t`. Its obsolete `JackTransportLooping` counts as
/// rolling, and `JackTransportNetStarting` as starting.
public enum TransportState: Sendable, Hashable, BitwiseCopyable {
  /// The position stands still.
  case stopped
  /// A start or a locate waits for the clients that are slow to sync.
  case starting
  /// The position advances by a period with every cycle.
  case rolling

  /// Whether a client has started it: it advances, or is about to.
  public var isPlaying: Bool {
    @inlinable @_noLocks get {
      switch self {
      case .stopped: false
      case .starting, .rolling: true
      }
    }
  }

  /// Whether it has been started and does not advance yet.
  public var isWaiting: Bool {
    @inlinable @_noLocks get {
      switch self {
      case .starting: true
      case .stopped, .rolling: false
      }
    }
  }

  /// Whether every cycle is a period further.
  public var isRolling: Bool {
    @inlinable @_noLocks get {
      switch self {
      case .stopped, .starting: false
      case .rolling: true
      }
    }
  }

  /// Whether the two are the same. Realtime-safe, as the synthesized operator is not.
  @inlinable @_noLocks
  public static func == (lhs: TransportState, rhs: TransportState) -> Bool {
    switch (lhs, rhs) {
    case (.stopped, .stopped), (.rolling, .rolling), (.starting, .starting): true
    case (.stopped, _), (.rolling, _), (.starting, _): false
    }
  }
}
