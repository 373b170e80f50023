import MusicalTime

/// How the time from a cycle's start to its first frame being heard is known.
public enum OutputLatency: Sendable, Hashable {
  /// The largest playback latency of the server's physical outputs, followed as it changes.
  case automatic
  /// None: for JACK clients that compensate the latency themselves.
  case none
  /// A fixed time.
  case fixed(HostInterval)

  /// The fixed times that make sense, in milliseconds.
  public static let range: ClosedRange<Double> = 0...10_000
}
