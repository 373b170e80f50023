import MusicalTime
import Words

/// A place in a song as people read it everywhere: bar, beat and hundredths of the beat, as in `3.2.50`.
struct Place {
  /// The place in its one notation.
  let text: String

  /// The place of a bar and a beat, both counted from 1, and a fraction of that beat from 0 to below 1.
  init(bar: Double, beat: Double, fraction: Double) {
    let hundredths = min(99, (fraction * 100).rounded(.down)).formatted(decimals: 0)
    text = """
      \(bar.formatted(decimals: 0)).\(beat.formatted(decimals: 0)).\(hundredths.count < 2 ? "0" : "")\(hundredths)
      """
  }

  /// The place of a reading of JACK's timebase.
  init(_ reading: TimebaseReading) {
    let fraction = reading.ticksPerBeat > 0 ? Double(reading.tick) / reading.ticksPerBeat : 0
    self.init(
      bar: Double(reading.bar), beat: Double(reading.beat), fraction: fraction.isFinite ? max(0, fraction) : 0
    )
  }
}
