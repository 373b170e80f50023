import MusicalTime

/// A place in the song to locate to.
public enum SongPlace: Sendable, Hashable {
  /// To the beginning of a bar, counted from 1.
  case bar(Int)
  /// To so many seconds from frame 0.
  case seconds(Double)
  /// To so many quarter notes from frame 0.
  case beats(Double)

  /// The frame of JACK's where that is, at `tempo` from frame 0 on; `nil` where JACK counts no further, and
  /// before bar 1.
  ///
  /// A bar, or a beat, is the one that is read there: of two frames it is the later one.
  public func frame(at tempo: Tempo, in meter: Meter, _ rate: SampleRate) -> TransportFrame? {
    let frames =
      switch self {
      case .bar(let bar): Self.frames(Double(bar - 1) * meter.barLength.doubleValue, at: tempo, rate)
      case .beats(let beats): Self.frames(beats, at: tempo, rate)
      case .seconds(let seconds): (seconds * rate.hertz).rounded()
      }
    guard frames >= 0, frames <= Double(UInt32.max) else { return nil }
    return TransportFrame(UInt32(frames))
  }

  private static func frames(_ beats: Double, at tempo: Tempo, _ rate: SampleRate) -> Double {
    (beats * 60 / tempo.beatsPerMinute * rate.hertz - 1e-6).rounded(.up)
  }
}
