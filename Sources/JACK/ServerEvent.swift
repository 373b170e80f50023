import MusicalTime

/// The server's notifications to its clients outside the cycle.
public enum ServerEvent: Sendable, Hashable {
  /// The server has shut down or died; the last event. The client can only be closed.
  case shutdown(reason: String)
  /// Cycles have another length from now on, in frames.
  case bufferSizeChanged(UInt32)
  /// The server runs at another rate from now on. jackd2 never changes it, PipeWire may.
  case sampleRateChanged(SampleRate)
  /// Clients or connections came or went.
  case graphOrderChanged
  /// Ports came or went. PipeWire does not order the graph anew for those of a client that is not connected.
  case portsChanged
  /// Another client has left the server, or died.
  case clientLeft
  /// Playback latencies have been computed anew.
  case latencyChanged
  /// The server began (true) or ended (false) running cycles as fast as it can instead of in real time.
  case freewheel(Bool)
}
