import MusicalTime

/// The sound that a microphone has heard while a session's beats went by, with a chirp half a beat after some of them.
public struct Recording: Sendable {
  /// A beat of the session.
  public struct Beat: Sendable, Hashable {
    /// The frame at which the session has it, counted from the first sample.
    public var frame: Double
    /// The frame at which the chirp half a beat later is heard if nothing is early or late; `nil` where none was
    /// played.
    public var chirp: Double?

    /// A beat.
    public init(frame: Double, chirp: Double? = nil) {
      self.frame = frame
      self.chirp = chirp
    }
  }

  /// The samples of the microphone's port.
  public var samples: [Float]
  /// How many of them are in a second.
  public var rate: SampleRate
  /// The beats, each once and in order, from the first one on.
  public var beats: [Beat]
  /// How many frames a sound takes from the microphone to the samples, as far as the server knows.
  public var captureLatency: Double

  /// A recording.
  public init(samples: [Float], rate: SampleRate, beats: [Beat], captureLatency: Double = 0) {
    self.samples = samples
    self.rate = rate
    self.beats = beats
    self.captureLatency = captureLatency
  }

  /// Whether a chirp follows the beat of a number: in every second group of four, so that the other device is heard
  /// alone in between, and with each beat of its bars as often.
  @_noLocks
  public static func isChirped(_ beat: Int) -> Bool { beat >= 0 && beat & 4 != 0 }
}

extension [Recording.Beat] {
  /// How many samples a beat takes, in the middle; 0 of less than two.
  var period: Double { zip(self, dropFirst()).map { $1.frame - $0.frame }.median }
}
