/// A port of a client's that audio leaves from.
///
/// It goes with its client: nothing may be written to it once that is closed.
public struct AudioOutput: @unchecked Sendable {
  // JACK's own handle, which never changes and is not freed before the client is.
  let port: OpaquePointer
}

extension Client {
  /// Adds a port that audio leaves from, which was made here and not passed on from an input.
  ///
  /// Thread-safe, and not for the real-time thread: it waits for the server. The corresponding C function is
  /// `jack_port_register`.
  ///
  /// - Parameter name: The name of the port, after the client's name and a colon.
  /// - Returns: The port, to be written by the handler that the client is activated with.
  /// - Throws: ``JACKError/noPort(_:)`` when the server has none to give, ``JACKError/portTaken(_:)`` when there is one
  ///   of that name.
  public borrowing func addAudioOutput(_ name: String) throws(JACKError) -> AudioOutput {
    try connection.call { client throws(JACKError) in
      AudioOutput(port: try LibJACK.registerAudioOutput(client, name))
    }
  }
}

extension CycleContext {
  /// The port's samples in this cycle: ``frameCount`` of them, which are heard undistorted from -1 to 1.
  ///
  /// The buffer's content is undefined at first, so all of it is to be written in each cycle, in
  /// ``RealtimeHandler/process(_:)`` alone. Realtime-safe. The corresponding C function is
  /// `jack_port_get_buffer`.
  ///
  /// - Parameter output: A port of this client's.
  /// - Returns: The port's buffer, valid during the call only; `nil` when the port has gone.
  @_noLocks
  public func audioBuffer(of output: AudioOutput) -> UnsafeMutableBufferPointer<Float>? {
    guard let samples = LibJACK.audioBuffer(of: output.port, frameCount: frameCount) else { return nil }
    return UnsafeMutableBufferPointer(start: samples, count: Int(frameCount))
  }
}
