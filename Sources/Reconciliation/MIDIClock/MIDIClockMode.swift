/// When a MIDI clock is sent.
public enum MIDIClockMode: String, Sendable, BitwiseCopyable, CaseIterable {
  /// Never: there is no port for it.
  case off
  /// While JACK rolls.
  case rolling
  /// Also while JACK rests, on Link's beat.
  case always
}
