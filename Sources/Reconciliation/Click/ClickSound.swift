import MusicalTime

/// The sound of clicks: two short tones, of which any number may ring at a time.
///
/// A tone is a sine whose envelope is the difference of two decays: it begins at nothing and without a bend,
/// is loudest after 0.7 ms, and 60 dB softer after 30 ms. So a click is the difference of two spirals, each
/// of which turns and shrinks by the same factor from frame to frame. Where one begins between two frames,
/// both begin with their values at the second one: nothing is rounded to a frame. Clicks that ring at the
/// same time add up in the same two spirals.
struct ClickSound: Sendable {
  /// A tone, and what rings of it.
  private struct Tone: Sendable {
    /// Radians per frame.
    private let angle: Double
    private let decay: Double
    private let attack: Double
    private let slow: Spiral
    private let fast: Spiral
    private var body = Spiral(re: 0, im: 0)
    private var edge = Spiral(re: 0, im: 0)

    @_noLocks
    init(hertz: Double, decay: Double, attack: Double, _ rate: SampleRate) {
      // Where a rate is too low for the tone, it is as high as it can be.
      angle = min(2 * Double.pi * hertz / rate.hertz, Double.pi / 2)
      self.decay = decay
      self.attack = attack
      slow = .exponential(decay: decay, angle: angle)
      fast = .exponential(decay: attack, angle: angle)
    }

    /// Begins so many frames ago, less than one.
    @_noLocks
    mutating func begin(ago frames: Double, size: Double) {
      let body = Spiral.exponential(decay: decay * frames, angle: angle * frames)
      let edge = Spiral.exponential(decay: attack * frames, angle: angle * frames)
      let loud = Spiral(re: size, im: 0)
      self.body = self.body + body * loud
      self.edge = self.edge + edge * loud
    }

    /// The sample of this frame; the next one's is next.
    @inline(__always) @_noLocks
    mutating func next() -> Double {
      let sample = body.im - edge.im
      body = body * slow
      edge = edge * fast
      return sample
    }
  }

  /// The tone of a beat and that of a bar, in hertz.
  static var beat: Double { 880 }
  static var bar: Double { 1760 }
  /// The natural logarithm of the ratio by which a decay falls in 30 ms: 60 dB.
  private static var decayIn30ms: Double { 6.907_755_278_982_137 }
  /// How much faster the attack is.
  private static var steepness: Double { 20 }
  /// The largest value of the envelope, which is that of exp(-t) - exp(-20 t).
  private static var peak: Double { @_noLocks get { 0.811_424_921_853_369 } }
  /// After how many seconds nothing is left to be heard: 120 dB.
  private static var longest: Double { 0.060 }

  private let amplitude: Double
  private let length: Int64
  private let fading: Double
  private var beats: Tone
  private var bars: Tone
  /// An upper bound of the amplitude of all ringing clicks, without their attack.
  private var ringing = 0.0
  /// For how many frames something rings.
  private var left: Int64 = 0

  /// Silence.
  init(_ level: ClickLevel, at rate: SampleRate) { self.init(amplitude: level.amplitude, at: rate) }

  /// Silence, as loud and at another rate. Realtime-safe.
  @_noLocks
  func silent(at rate: SampleRate) -> ClickSound { ClickSound(amplitude: amplitude, at: rate) }

  @_noLocks
  private init(amplitude: Double, at rate: SampleRate) {
    let decay = ClickSound.decayIn30ms / (0.030 * rate.hertz)
    // Within the range of the exponential, at any rate.
    let (slow, fast) = (min(decay, 1), min(decay * ClickSound.steepness, 2))
    self.amplitude = amplitude
    length = Int64(ClickSound.longest * rate.hertz)
    fading = Spiral.exponential(decay: slow, angle: 0).re
    beats = Tone(hertz: ClickSound.beat, decay: slow, attack: fast, rate)
    bars = Tone(hertz: ClickSound.bar, decay: slow, attack: fast, rate)
  }

  /// Has a click begin, so many frames before the next one, less than one. Realtime-safe.
  ///
  /// It is so loud that together with what still rings nothing gets louder than the level.
  @_noLocks
  mutating func begin(ago frames: Double, isBar: Bool) {
    let size = (amplitude - ringing) / ClickSound.peak
    if isBar { bars.begin(ago: frames, size: size) } else { beats.begin(ago: frames, size: size) }
    ringing += size
    left = length
  }

  /// The next sample. Realtime-safe.
  @inline(__always) @_noLocks
  mutating func next() -> Float {
    guard left > 0 else { return 0 }
    let sample = beats.next() + bars.next()
    ringing *= fading
    left &-= 1
    return Float(sample)
  }
}
