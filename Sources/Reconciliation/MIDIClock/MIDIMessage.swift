/// A MIDI message of those that a clock sends, and where in a cycle it goes.
public struct MIDIMessage: Sendable, BitwiseCopyable, Hashable {
  /// The status byte, which is the first one.
  public let status: UInt8
  /// The second and the third byte; zero for messages of one.
  public let data: UInt16
  /// How many bytes it has: 1 or 3.
  public let count: Int
  /// The frame that it goes with, from 0 for the first one of the cycle.
  public let offset: UInt32

  /// One of 24 in a beat.
  public static var clock: UInt8 { @_noLocks get { 0xF8 } }
  /// The song begins with the next clock.
  public static var start: UInt8 { @_noLocks get { 0xFA } }
  /// The song goes on with the next clock, from the song position.
  public static var goOn: UInt8 { @_noLocks get { 0xFB } }
  /// The song stops.
  public static var stop: UInt8 { @_noLocks get { 0xFC } }
  /// Where the song goes on, in sixteenths.
  public static var songPosition: UInt8 { @_noLocks get { 0xF2 } }
  /// The last sixteenth that a song position can name.
  public static var lastSixteenth: Int64 { @_noLocks get { 16_383 } }

  /// A message of one byte.
  @_noLocks
  init(_ status: UInt8, at offset: Int64) {
    self.status = status
    data = 0
    count = 1
    self.offset = UInt32(truncatingIfNeeded: offset)
  }

  /// A song position: a sixteenth, up to ``lastSixteenth``.
  @_noLocks
  init(sixteenth: Int64, at offset: Int64) {
    status = MIDIMessage.songPosition
    // Seven bits in each byte, the lower ones first.
    data = UInt16(truncatingIfNeeded: (sixteenth & 0x7F) | (sixteenth & 0x3F80) << 1)
    count = 3
    self.offset = UInt32(truncatingIfNeeded: offset)
  }

  /// The second byte.
  public var first: UInt8 { @_noLocks get { UInt8(truncatingIfNeeded: data) } }

  /// The third byte.
  public var second: UInt8 { @_noLocks get { UInt8(truncatingIfNeeded: data >> 8) } }
}
