import MusicalTime

/// How far the transport's frames are from the server's: the same as long as it rolls on.
struct Course: Sendable, BitwiseCopyable {
  private let offset: UInt32

  /// That of a transport which is at `frame` when the server has counted to `serverFrame`.
  @inline(__always) @_noLocks
  init(of frame: TransportFrame, at serverFrame: ServerFrame) {
    offset = frame.number &- serverFrame.number
  }

  /// Where the transport is when the server has counted to `serverFrame`.
  @inline(__always) @_noLocks
  func frame(at serverFrame: ServerFrame) -> TransportFrame {
    TransportFrame(offset &+ serverFrame.number)
  }
}
