/// A port of a client's that MIDI leaves from.
///
/// It goes with its client: nothing may be written to it once that is closed.
public struct MIDIOutput: @unchecked Sendable {
  // JACK's own handle, which never changes and is not freed before the client is.
  let port: OpaquePointer
}

extension Client {
  /// Adds a port that MIDI leaves from.
  ///
  /// Thread-safe, and not for the real-time thread: it waits for the server. The corresponding C function is
  /// `jack_port_register`.
  ///
  /// - Parameter name: The name of the port, after the client's name and a colon.
  /// - Returns: The port, to be written by the handler that the client is activated with.
  /// - Throws: ``JACKError/noPort(_:)`` when the server has none to give, ``JACKError/portTaken(_:)`` when there is one
  ///   of that name.
  public borrowing func addMIDIOutput(_ name: String) throws(JACKError) -> MIDIOutput {
    try connection.call { client throws(JACKError) in
      MIDIOutput(port: try LibJACK.registerMIDIOutput(client, name))
    }
  }
}

extension CycleContext {
  /// The port's messages in this cycle: none, until one is written.
  ///
  /// JACK wants a request for it in each cycle, in ``RealtimeHandler/process(_:)`` alone: a buffer that is
  /// not emptied is sent again. Realtime-safe. The corresponding C functions are `jack_port_get_buffer` and
  /// `jack_midi_clear_buffer`.
  ///
  /// - Parameter output: A port of this client's.
  /// - Returns: The port's buffer, valid during the call only; `nil` when the port has gone.
  @_noLocks
  public func midiBuffer(of output: MIDIOutput) -> MIDIBuffer? {
    guard let buffer = LibJACK.emptyMIDIBuffer(of: output.port, frameCount: frameCount) else { return nil }
    return MIDIBuffer(buffer)
  }
}

/// The messages that leave a MIDI port in a cycle.
public struct MIDIBuffer {
  private let buffer: UnsafeMutableRawPointer

  @_noLocks
  init(_ buffer: UnsafeMutableRawPointer) {
    self.buffer = buffer
  }

  /// Has a message of one byte leave. Realtime-safe. The corresponding C function is
  /// `jack_midi_event_reserve`.
  ///
  /// - Parameters:
  ///   - status: The byte.
  ///   - offset: The frame of the cycle, from 0; no earlier than that of the message before.
  /// - Returns: Whether there was room, and the offset is one of the cycle's.
  @_noLocks
  @discardableResult
  public func write(_ status: UInt8, at offset: UInt32) -> Bool {
    guard let room = LibJACK.reserveMIDIEvent(buffer, at: offset, count: 1) else { return false }
    room[0] = status
    return true
  }

  /// Has a message of three bytes leave. Realtime-safe. The corresponding C function is
  /// `jack_midi_event_reserve`.
  ///
  /// - Parameters:
  ///   - status: The first byte.
  ///   - first: The second one, of seven bits.
  ///   - second: The third one, of seven bits.
  ///   - offset: The frame of the cycle, from 0; no earlier than that of the message before.
  /// - Returns: Whether there was room, and the offset is one of the cycle's.
  @_noLocks
  @discardableResult
  public func write(_ status: UInt8, _ first: UInt8, _ second: UInt8, at offset: UInt32) -> Bool {
    guard let room = LibJACK.reserveMIDIEvent(buffer, at: offset, count: 3) else { return false }
    room[0] = status
    room[1] = first
    room[2] = second
    return true
  }
}

@available(*, unavailable)
extension MIDIBuffer: Sendable {}
