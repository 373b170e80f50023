import MusicalTime

extension ActiveClient {
  /// How long a frame takes from the cycle it is written in to the output: the largest playback latency of
  /// the physical outputs, in frames.
  ///
  /// `nil` when there is none, the client is closed, or its server gone. Worth asking again after
  /// ``ServerEvent/latencyChanged``, ``ServerEvent/graphOrderChanged`` and
  /// ``ServerEvent/bufferSizeChanged(_:)``.
  ///
  /// The corresponding C functions are `jack_get_ports` and `jack_port_get_latency_range`.
  public func largestPlaybackLatency() -> FrameCount? {
    let frames: UInt32?? = connection.callIfOpen { LibJACK.largestPlaybackLatency($0) }
    return frames?.map { FrameCount(Int64($0)) }
  }

  /// How long a frame takes from a port to the output: the playback latency of the port, in frames.
  ///
  /// `nil` when there is no port of that full name, as in `system:playback_1`, the client is closed, or its
  /// server gone. Worth asking again when ``largestPlaybackLatency()`` is.
  ///
  /// The corresponding C functions are `jack_port_by_name` and `jack_port_get_latency_range`.
  public func playbackLatency(of port: String) -> FrameCount? {
    let frames: UInt32?? = connection.callIfOpen { LibJACK.playbackLatency($0, of: port) }
    return frames?.map { FrameCount(Int64($0)) }
  }

  /// How long a sound takes from the input to a port: the capture latency of the port, in frames.
  ///
  /// `nil` when there is no port of that full name, as in `system:capture_1`, the client is closed, or its
  /// server gone. Worth asking again after ``ServerEvent/bufferSizeChanged(_:)``.
  ///
  /// The corresponding C functions are `jack_port_by_name` and `jack_port_get_latency_range`.
  public func captureLatency(of port: String) -> FrameCount? {
    let frames: UInt32?? = connection.callIfOpen { LibJACK.captureLatency($0, of: port) }
    return (frames ?? nil).map { FrameCount(Int64($0)) }
  }

  /// The full names of the physical outputs, as `system:playback_1`: the ports that are heard.
  ///
  /// Empty when there are none, the client is closed, or its server gone. The corresponding C function is
  /// `jack_get_ports`.
  public func physicalOutputs() -> [String] {
    connection.callIfOpen { LibJACK.physicalOutputs($0) } ?? []
  }

  /// The names of the other clients that are heard, each once and in order: those with a port that is
  /// connected to a physical output; where nothing is, all that have audio outputs.
  ///
  /// Empty when there are none, the client is closed, or its server gone. Worth asking again after
  /// ``ServerEvent/graphOrderChanged``.
  ///
  /// The corresponding C functions are `jack_get_ports`, `jack_port_get_all_connections` and
  /// `jack_port_is_mine`.
  public func heardClients() -> [String] {
    let ports: [String]? = connection.callIfOpen { LibJACK.heardPorts($0) }
    // JACK separates a client's name from its port's by the first colon.
    let clients = (ports ?? []).compactMap { $0.split(separator: ":", maxSplits: 1).first.map(String.init) }
    return Set(clients).sorted()
  }
}
