import MusicalTime

/// How the time from a cycle's start to its first frame being heard is known.
public enum OutputLatency: Sendable, Hashable {
  /// The largest playback latency of the server's physical outputs, followed as it changes.
  case automatic
  /// The playback latency of one port, by its full name, followed as it changes: where outputs differ. As long
  /// as there is no such port, as ``automatic``.
  case port(String)
  /// None: for JACK clients that compensate the latency themselves.
  case none
  /// A fixed time.
  case fixed(HostInterval)

  /// The fixed times that make sense, in milliseconds.
  public static let range: ClosedRange<Double> = 0...10_000
}
