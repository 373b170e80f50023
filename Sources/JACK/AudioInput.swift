/// A port of a client's that audio comes to.
///
/// It goes with its client: nothing may be read from it once that is closed.
public struct AudioInput: @unchecked Sendable {
  // JACK's own handle, which never changes and is not freed before the client is.
  let port: OpaquePointer
}

extension Client {
  /// Adds a port that audio comes to, which is used here and not passed on to an output.
  ///
  /// Thread-safe, and not for the real-time thread: it waits for the server. The corresponding C function is
  /// `jack_port_register`.
  ///
  /// - Parameter name: The name of the port, after the client's name and a colon.
  /// - Returns: The port, to be read by the handler that the client is activated with.
  /// - Throws: ``JACKError/noPort(_:)`` when the server has none to give, ``JACKError/portTaken(_:)`` when there is one
  ///   of that name.
  public borrowing func addAudioInput(_ name: String) throws(JACKError) -> AudioInput {
    try connection.call { client throws(JACKError) in
      AudioInput(port: try LibJACK.registerAudioInput(client, name))
    }
  }
}

extension CycleContext {
  /// The port's samples in this cycle: ``frameCount`` of them, the sum of all that is connected, and zeros where
  /// nothing is.
  ///
  /// Another client may have written anything: samples beyond -1 and 1, and such as are no numbers. To be read in
  /// ``RealtimeHandler/process(_:)`` alone. Realtime-safe. The corresponding C function is `jack_port_get_buffer`.
  ///
  /// - Parameter input: A port of this client's.
  /// - Returns: The port's buffer, valid during the call only; `nil` when the port has gone.
  @_noLocks
  public func audioBuffer(of input: AudioInput) -> UnsafeBufferPointer<Float>? {
    guard let samples = LibJACK.audioBuffer(of: input.port, frameCount: frameCount) else { return nil }
    return UnsafeBufferPointer(start: samples, count: Int(frameCount))
  }
}
