/// Which of the optional parts of a position its writer declares valid.
///
/// The corresponding C type is `jack_position_bits_t`.
public struct PositionFields: OptionSet, Sendable, Hashable, BitwiseCopyable {
  /// The bits as JACK has them.
  public let rawValue: UInt32

  /// The fields of the given bits.
  @_noLocks
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// Bar, beat, tick, meter and tempo.
  public static var barBeatTick: PositionFields { @_noLocks get { PositionFields(rawValue: 0x10) } }
  /// External timecode.
  public static var timecode: PositionFields { @_noLocks get { PositionFields(rawValue: 0x20) } }
  /// The distance from the position of bar, beat and tick to the start of the cycle.
  public static var bbtFrameOffset: PositionFields { @_noLocks get { PositionFields(rawValue: 0x40) } }
  /// Audio frames per video frame.
  public static var audioVideoRatio: PositionFields { @_noLocks get { PositionFields(rawValue: 0x80) } }
  /// The audio frame of the first video frame.
  public static var videoFrameOffset: PositionFields { @_noLocks get { PositionFields(rawValue: 0x100) } }
  /// The tick as a floating-point number.
  public static var tickDouble: PositionFields { @_noLocks get { PositionFields(rawValue: 0x200) } }

  /// Whether all of `other` is declared valid. Realtime-safe, unlike the generic `contains`.
  @_noLocks
  public func declares(_ other: PositionFields) -> Bool { rawValue & other.rawValue == other.rawValue }

  /// Whether the two are the same. Realtime-safe, as the synthesized operator is not.
  @_noLocks
  public static func == (lhs: PositionFields, rhs: PositionFields) -> Bool { lhs.rawValue == rhs.rawValue }
}
