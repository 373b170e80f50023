/// Whose tempo and beat both sides have.
public enum SyncMode: String, Sendable, BitwiseCopyable, CaseIterable {
  /// Host sync where the host provides it, else Link: another owner of the timebase leads, and without one
  /// Link does.
  case auto
  /// Link leads.
  case link
  /// JACK leads, and may impose its tempo and phase on the session.
  case jack

  /// Whether JACK leads in any case. Realtime-safe, as comparing is not.
  var isJACK: Bool {
    @_noLocks get {
      switch self {
      case .jack: true
      case .auto, .link: false
      }
    }
  }
}
