import MusicalTime

/// When a MIDI clock is sent.
public enum MIDIClockMode: String, Sendable, BitwiseCopyable, CaseIterable {
  /// Never: there is no port for it.
  case off
  /// While JACK rolls.
  case rolling
  /// Also while JACK rests, on Link's beat.
  case always
}

/// How much later than the beat a MIDI clock is sent, or earlier.
public struct MIDIClockOffset: Sendable, BitwiseCopyable, Hashable {
  /// The time; negative for earlier.
  public let interval: HostInterval

  /// The offsets that make sense, in milliseconds.
  public static let range: ClosedRange<Double> = -500...500

  /// With the beat.
  public static var none: MIDIClockOffset { MIDIClockOffset(interval: .zero) }

  private init(interval: HostInterval) {
    self.interval = interval
  }

  /// An offset in milliseconds; `nil` outside ``range``.
  public init?(milliseconds: Double) {
    guard MIDIClockOffset.range.contains(milliseconds),
      let interval = HostInterval(milliseconds: milliseconds)
    else { return nil }
    self.interval = interval
  }
}
