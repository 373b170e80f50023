import MusicalTime

/// How much later JACK is to be heard, as a recording shows.
public struct CalibrationResult: Sendable, Hashable {
  /// The time: negative where JACK is heard too late, and is to be heard earlier.
  public var offset: HostInterval
  /// How far single beats are from each other: the standard deviation, estimated so that single ones that are far
  /// off do not count.
  public var spread: HostInterval
  /// How far off the offset may be because the other device's sound does not begin at once.
  public var bound: HostInterval
  /// The beats on which the other device was heard.
  public var beats: Int
  /// The chirps that were heard.
  public var chirps: Int
  /// Whether the microphone's signal was cut off at its largest value.
  public var isClipped: Bool
}

/// Why a recording has no offset.
public enum CalibrationRefusal: Error, Sendable, Hashable {
  /// There is no signal at all, or next to none.
  case silent
  /// Too much of the signal is no numbers.
  case unreadable
  /// There are fewer than ``Calibration/fewestBeats`` beats, or their tempo is outside 20 to 300 bpm.
  case unusableBeats
  /// Neither the chirp nor another click is heard.
  case nothingHeard
  /// The chirp is not heard.
  case chirpMissing
  /// The chirp is heard, but not at one time only.
  case chirpUnclear
  /// No click of another device is heard with each beat.
  case otherMissing
  /// More than one click is heard in each beat.
  case otherUnclear
  /// The other click is not heard with enough of the beats.
  case otherIrregular
  /// The other clicks are not in the session's tempo.
  case otherTempo
  /// The other click begins so softly that its beginning is known to that much only.
  case otherSoft(HostInterval)
  /// The other click is so soft that its beginning is lost in the noise.
  case otherFaint
  /// Both clicks are heard nearly at the same time.
  case together
  /// The clicks may be more than half a beat apart.
  case ambiguous
  /// The beats differ by more than ``Calibration/mostSpread``.
  case scattered(HostInterval)
}

extension CalibrationRefusal {
  /// Whether clicks that xruns have moved may be the reason: a device that counts JACK's frames is late after each one.
  public var canComeFromXruns: Bool {
    switch self {
    case .unusableBeats, .chirpUnclear, .otherUnclear, .otherIrregular, .otherTempo, .otherSoft, .scattered:
      true
    case .silent, .unreadable, .nothingHeard, .chirpMissing, .otherMissing, .otherFaint, .together,
      .ambiguous:
      false
    }
  }
}

extension CalibrationRefusal: CustomStringConvertible {
  /// The fault and the remedy, in at most two short sentences.
  public var description: String {
    switch self {
    case .silent: "The input is silent. Connect the microphone with --input, and turn it up."
    case .unreadable: "The input sends samples that are no numbers. Connect another one with --input."
    case .unusableBeats:
      "There are too few beats in the recording, or their tempo is not from 20 to 300 bpm. Run it again."
    case .nothingHeard:
      "No click is heard. Turn up the microphone, the loudspeakers and the other device's metronome."
    case .chirpMissing:
      "The other device is heard, but JACK's click is not. Turn up JACK's loudspeakers, or name their ports: --output."
    case .chirpUnclear:
      "JACK's click is heard at more than one time. Move the microphone nearer, or listen to one output only."
    case .otherMissing:
      "JACK's click is heard, but no other device is, with the session's beat. Have it play its metronome, louder."
    case .otherUnclear:
      "More than one sound is heard in a beat. Have the other device play nothing but one click a beat."
    case .otherIrregular:
      "The other device is not heard with each beat. Turn it up, and have it play nothing but its metronome."
    case .otherTempo:
      "The other device is not in the session's tempo. Switch Link on there, and run it again."
    case .otherSoft(let bound):
      "The other click begins too softly, within \(bound.shown). Choose a sharper sound, or turn it up."
    case .otherFaint:
      "The other click is lost in noise. Turn it up, come nearer, or listen to more beats: --beats 96."
    case .together: "Both clicks are heard at once. Run it again in another tempo, for example 90."
    case .ambiguous:
      "The clicks may be half a beat or more apart. Run it again in a slower tempo, for example 60."
    case .scattered(let spread):
      "The clicks differ by \(spread.shown) from beat to beat, and 2 ms is the most. Come nearer, or be quieter."
    }
  }
}

extension HostInterval {
  /// The time in milliseconds with two digits after the point, for people.
  fileprivate var shown: String {
    let hundredths = Int((milliseconds * 100).rounded())
    let rest = hundredths.magnitude % 100
    return "\(hundredths < 0 ? "-" : "")\(hundredths.magnitude / 100).\(rest < 10 ? "0" : "")\(rest) ms"
  }
}
