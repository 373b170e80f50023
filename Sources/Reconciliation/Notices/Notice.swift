/// Something that people should know of a cycle.
public enum Notice: Sendable, BitwiseCopyable, Equatable {
  /// About the transport.
  case transport(TransportNotice)
  /// About tempo and beat.
  case grid(GridNotice)
}
