/// A port of a client's that MIDI comes to.
///
/// It goes with its client: nothing may be read from it once that is closed.
public struct MIDIInput: @unchecked Sendable {
  // JACK's own handle, which never changes and is not freed before the client is.
  let port: OpaquePointer
}

extension Client {
  /// Adds a port that MIDI comes to.
  ///
  /// Thread-safe, and not for the real-time thread: it waits for the server. The corresponding C function is
  /// `jack_port_register`.
  ///
  /// - Parameter name: The name of the port, after the client's name and a colon.
  /// - Returns: The port, to be read by the handler that the client is activated with.
  /// - Throws: ``JACKError/noPort(_:)`` when the server has none to give, ``JACKError/portTaken(_:)`` when there is one
  ///   of that name.
  public borrowing func addMIDIInput(_ name: String) throws(JACKError) -> MIDIInput {
    try connection.call { client throws(JACKError) in
      MIDIInput(port: try LibJACK.registerMIDIInput(client, name))
    }
  }
}

extension CycleContext {
  /// The messages that have come to the port in this cycle, of all that is connected, in the order of their frames.
  ///
  /// To be read in ``RealtimeHandler/process(_:)`` alone. Realtime-safe. The corresponding C functions are
  /// `jack_port_get_buffer` and `jack_midi_get_event_count`.
  ///
  /// - Parameter input: A port of this client's.
  /// - Returns: The messages, valid during the call only; `nil` when the port has gone.
  @_noLocks
  public func midiMessages(of input: MIDIInput) -> MIDIMessages? {
    guard let buffer = LibJACK.midiBuffer(of: input.port, frameCount: frameCount) else { return nil }
    return MIDIMessages(buffer)
  }
}

/// The messages that have come to a MIDI port in a cycle.
public struct MIDIMessages {
  private let buffer: UnsafeMutableRawPointer

  /// How many there are.
  public let count: Int

  @_noLocks
  init(_ buffer: UnsafeMutableRawPointer) {
    self.buffer = buffer
    count = Int(LibJACK.midiEventCount(buffer))
  }

  /// A message. Realtime-safe. The corresponding C function is `jack_midi_event_get`.
  ///
  /// - Parameter index: Its place, from 0.
  /// - Returns: The frame of the cycle, from 0, and the bytes, valid during the call of the handler only; `nil` where
  ///   there is no such message.
  @_noLocks
  public subscript(index: Int) -> (offset: UInt32, bytes: UnsafeRawBufferPointer)? {
    guard index >= 0, index < count else { return nil }
    return LibJACK.midiEvent(buffer, at: UInt32(truncatingIfNeeded: index))
  }
}

@available(*, unavailable)
extension MIDIMessages: Sendable {}
