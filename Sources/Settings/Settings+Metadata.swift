extension Settings {
  /// Whether other JACK clients find the bridge's values among JACK's metadata, and may write them.
  public enum Metadata: String, Sendable, CaseIterable {
    /// On servers that cannot be hung by it.
    case auto
    /// On all servers.
    case on
    /// On none.
    case off
  }
}
