import Glibc

extension ActiveClient {
  /// Becomes the owner of the timebase: from the next cycle,
  /// ``RealtimeHandler/timebase(_:state:next:isNewPosition:)`` is called.
  ///
  /// Calling it as the owner has JACK call the function once more with a new position, also while the
  /// transport is stopped: the way to publish a change of tempo then. It changes neither position nor state.
  ///
  /// On jackd2 a conditional call also shows whether the timebase was lost, as nothing else does. PipeWire
  /// always answers yes.
  ///
  /// Waits for the server, and for the first cycle: a second at most. The corresponding C function is
  /// `jack_set_timebase_callback`.
  ///
  /// - Parameter conditionally: Whether to leave the timebase to another client that owns it. Otherwise the
  ///   call always succeeds, and the other is not notified.
  /// - Returns: False when another client owns the timebase.
  /// - Throws: ``JACKError`` when the client is closed, its server gone, or the call failed.
  public func takeTimebase(conditionally: Bool) throws(JACKError) -> Bool {
    try connection.requestOfRunning("jack_set_timebase_callback") { client, target throws(JACKError) in
      let code = LibJACK.setTimebase(client, target, conditionally: conditionally)
      if code == EBUSY { return false }
      guard code == 0 else { throw .callFailed(function: "jack_set_timebase_callback", code: code) }
      return true
    }
  }

  /// Gives up the timebase.
  ///
  /// On jackd2, not while rolling: the transport would go one period back, and every client that is slow to
  /// sync relocate. Closing the owner does the same.
  ///
  /// Waits for the server. The corresponding C function is `jack_release_timebase`.
  ///
  /// - Throws: ``JACKError`` when the client does not own the timebase, is closed, or its server gone.
  public func releaseTimebase() throws(JACKError) {
    try connection.request { client, _ throws(JACKError) in
      let code = LibJACK.releaseTimebase(client)
      guard code == 0 else { throw .callFailed(function: "jack_release_timebase", code: code) }
    }
  }
}
