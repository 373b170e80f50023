import MusicalTime

extension ActiveClient {
  /// The transport at present; `nil` when the client is closed or its server gone.
  ///
  /// Outside the cycle the position is that of the current cycle's first frame, without the time passed
  /// since. The corresponding C function is `jack_transport_query`.
  public func transport() -> TransportReading? { connection.callIfOpen { LibJACK.transport(of: $0) } }

  /// Asks for the transport to start, in the second cycle from now when no client is slow to sync.
  ///
  /// The corresponding C function is `jack_transport_start`.
  ///
  /// - Returns: False when the client is closed or its server gone.
  @discardableResult
  public func startTransport() -> Bool { connection.callIfOpen { LibJACK.startTransport($0) } != nil }

  /// Asks for the transport to stop, in the next cycle.
  ///
  /// The corresponding C function is `jack_transport_stop`.
  ///
  /// - Returns: False when the client is closed or its server gone.
  @discardableResult
  public func stopTransport() -> Bool { connection.callIfOpen { LibJACK.stopTransport($0) } != nil }

  /// Asks for the transport to continue elsewhere, in the second cycle from now.
  ///
  /// For one cycle the position then has nothing but the frame. The corresponding C function is
  /// `jack_transport_locate`.
  ///
  /// - Parameter frame: The frame to go to.
  /// - Returns: False when JACK did not take the request, the client is closed, or its server gone.
  @discardableResult
  public func locateTransport(to frame: TransportFrame) -> Bool {
    connection.callIfOpen { LibJACK.locateTransport($0, to: frame) } ?? false
  }

  /// Asks for the transport to continue elsewhere with a position and a tempo, which the owner of the
  /// timebase may take as a wish.
  ///
  /// The corresponding C function is `jack_transport_reposition`.
  ///
  /// - Parameters:
  ///   - frame: The frame to go to.
  ///   - bbt: The position to show there.
  ///   - beatsPerMinute: The tempo to show there, in the meter's own beats.
  /// - Returns: False when JACK did not take the request, the client is closed, or its server gone. jackd2
  ///   may also ignore a request that it has accepted.
  @discardableResult
  public func repositionTransport(
    to frame: TransportFrame, showing bbt: BarBeatTick, beatsPerMinute: Double
  ) -> Bool {
    connection.callIfOpen {
      LibJACK.repositionTransport($0, to: frame, showing: bbt, beatsPerMinute: beatsPerMinute)
    } ?? false
  }

  /// Chooses whether the transport waits for this client at a start and a locate, by asking
  /// ``RealtimeHandler/sync(_:state:position:)``.
  ///
  /// Takes effect from the next start or locate. Waits for the first cycle: a second at most. ``Client/activate(_:isSlowToSync:)``
  /// chooses it from the first cycle on. The corresponding C function is `jack_set_sync_callback`.
  ///
  /// - Throws: ``JACKError`` when the client is closed, its server gone, or the call failed.
  public func setSlowSync(_ on: Bool) throws(JACKError) {
    try connection.requestOfRunning("jack_set_sync_callback") { client, target throws(JACKError) in
      let code = LibJACK.setSync(client, target, on)
      guard code == 0 else { throw .callFailed(function: "jack_set_sync_callback", code: code) }
    }
  }

  /// Bounds how long the transport waits for clients that are slow to sync; for all clients of the server.
  ///
  /// The corresponding C function is `jack_set_sync_timeout`. jackd2 starts with 10 s. PipeWire always waits
  /// 5 s.
  ///
  /// - Parameter timeout: The longest wait, in whole microseconds; a negative one counts as none.
  /// - Throws: ``JACKError`` when the client is closed, its server gone, or the call failed.
  public func setSyncTimeout(_ timeout: HostInterval) throws(JACKError) {
    try connection.call { client throws(JACKError) in
      let microseconds = UInt64(max(0, timeout.nanoseconds / 1000))
      let code = LibJACK.setSyncTimeout(client, microseconds: microseconds)
      guard code == 0 else { throw .callFailed(function: "jack_set_sync_timeout", code: code) }
    }
  }
}
