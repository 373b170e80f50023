import Glibc
import MusicalTime

/// The click that a calibration plays: a short sweep, because its beginning can be found to a small part of a
/// millisecond, also in noise and in a room.
///
/// A matched filter makes a pulse of a third of a millisecond of it. Of the metronome's click, which is a tone, it
/// would make ten milliseconds of the tone's periods, before and after the beginning.
public struct Chirp: Sendable {
  /// The samples, from the beginning on, with a peak of at most ``level``.
  public let samples: [Float]

  /// How long it takes, in seconds.
  public static let duration = 0.012
  /// The largest magnitude of a sample: as loud as the metronome's click by default.
  public static let level = 0.25
  /// The lowest and the highest tone, in hertz: what small loudspeakers and microphones have, too.
  private static let tones = (first: 900.0, last: 7900.0)

  /// The samples at a rate.
  public init(at rate: SampleRate) { samples = Self.samples(at: rate.hertz).map { Float($0 * Self.level) } }

  /// The same with a peak of 1, and with the waves so many turns further. A rate that is too low for the highest tone
  /// has a shorter sweep.
  static func samples(at hertz: Double, turned: Double = 0) -> [Double] {
    let count = max(2, Int(duration * hertz))
    let last = min(tones.last, hertz * 0.4)
    return (0..<count).map { index in
      let time = Double(index) / hertz
      let turns = turned + tones.first * time + (last - tones.first) * time * time / (2 * duration)
      let envelope = 0.5 - 0.5 * cos(2 * .pi * time / duration)
      return envelope * sin(2 * .pi * turns)
    }
  }
}
