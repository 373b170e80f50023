import MusicalTime

extension ActiveClient {
  /// How long a frame takes from the cycle it is written in to the output: the largest playback latency of the
  /// physical outputs, in frames.
  ///
  /// `nil` when there is none, the client is closed, or its server gone. Worth asking again after
  /// ``ServerEvent/latencyChanged``, ``ServerEvent/graphOrderChanged`` and ``ServerEvent/bufferSizeChanged(_:)``.
  ///
  /// The corresponding C functions are `jack_get_ports` and `jack_port_get_latency_range`.
  public func largestPlaybackLatency() -> FrameCount? {
    let frames: UInt32?? = connection.callIfOpen { LibJACK.largestPlaybackLatency($0) }
    return frames?.map { FrameCount(Int64($0)) }
  }
}
