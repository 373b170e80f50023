/// What JACK's transport does in a cycle.
///
/// The corresponding C type is `jack_transport_state_t`. Its obsolete `JackTransportLooping` counts as rolling,
/// and `JackTransportNetStarting` as starting.
public enum TransportState: Sendable, Hashable, BitwiseCopyable {
  /// The position stands still.
  case stopped
  /// The position advances with every cycle.
  case rolling
  /// A start or a locate waits for the clients that are slow to sync.
  case starting

  /// Whether the two are the same. Realtime-safe, as the synthesized operator is not.
  @_noLocks
  public static func == (lhs: TransportState, rhs: TransportState) -> Bool {
    switch (lhs, rhs) {
    case (.stopped, .stopped), (.rolling, .rolling), (.starting, .starting): true
    case (.stopped, _), (.rolling, _), (.starting, _): false
    }
  }
}
