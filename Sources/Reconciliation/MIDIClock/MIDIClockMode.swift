/// When a MIDI clock is sent.
public enum MIDIClockMode: String, Sendable, BitwiseCopyable, CaseIterable {
  /// Never: there is no port for it.
  case off
  /// While JACK rolls.
  case rolling
  /// Also while JACK is stopped, on Link's beat.
  case always
}

/// When a MIDI clock sends the song position.
public enum MIDIClockPosition: String, Sendable, BitwiseCopyable, CaseIterable {
  /// With a start, and with a locate that does not go on at once by whole beats.
  case auto
  /// With a start, and with each locate.
  case always
  /// Never: the next bar is a Start, also where a locate does not go on at once by whole bars.
  case never
}
