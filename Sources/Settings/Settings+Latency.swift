import MusicalTime

extension Settings {
  /// The output latency to make up for, so that the beat is heard when the session's other peers sound theirs.
  public enum Latency: Sendable, Hashable {
    /// What JACK reports for the physical playback ports.
    case auto
    /// None: JACK's clients already make up for it themselves.
    case none
    /// A measured one.
    case fixed(HostInterval)

    /// The fixed latencies that can be set, in milliseconds.
    public static let range: ClosedRange<Double> = 0...10_000
  }
}
