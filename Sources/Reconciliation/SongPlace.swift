import MusicalTime

/// Where in the song somebody wants to go.
public enum SongPlace: Sendable, Hashable {
  /// To the beginning of a bar, counted from 1.
  case bar(Int)
  /// To so many seconds from frame 0.
  case seconds(Double)

  /// The frame of JACK's where that is, at `tempo` from frame 0 on; `nil` where JACK counts no further, and
  /// before bar 1.
  ///
  /// A bar is what is read there: of two frames it is the later one.
  public func frame(at tempo: Tempo, in meter: Meter, _ rate: SampleRate) -> TransportFrame? {
    let frames: Double
    switch self {
    case .bar(let bar):
      let beats = Double(bar - 1) * meter.barLength.doubleValue
      frames = (beats * 60 / tempo.beatsPerMinute * rate.hertz - 1e-6).rounded(.up)
    case .seconds(let seconds):
      frames = (seconds * rate.hertz).rounded()
    }
    guard frames >= 0, frames <= Double(UInt32.max) else { return nil }
    return TransportFrame(UInt32(frames))
  }
}
