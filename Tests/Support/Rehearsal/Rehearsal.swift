import Calibration
import Foundation
import MusicalTime

/// A session that is played in a room, and what a microphone hears of it: with an offset that is known, because it
/// has been put in.
public struct Rehearsal: Sendable {
  /// The microphone's samples in a second.
  public var rate = 48_000.0
  /// The session's tempo.
  public var bpm = 120.0
  /// How many beats are recorded.
  public var beats = 32
  /// The other device's click.
  public var sound = OtherSound.sine
  /// The offset that is to be found, in seconds.
  public var offset = 0.0
  /// How long the other device's click takes from its beat to the samples, in seconds.
  public var others = 0.03
  /// How much of that the server knows, in seconds.
  public var microphone = 0.012
  /// The way from the other device's loudspeaker to the microphone.
  public var othersRoom = Room.none
  /// The way from JACK's loudspeaker to the microphone.
  public var ownRoom = Room.none
  /// How loud the other click is.
  public var othersLevel = 0.2
  /// How loud the chirp is, as a factor.
  public var ownLevel = 1.0
  /// Signal to noise in decibels, of the weaker of the two clicks in its first 20 ms; `nil` without noise.
  public var signalToNoise: Double? = 6
  /// The other device's tempo in relation to the session's.
  public var othersTempo = 1.0
  /// How much earlier or later than its beat each of the other clicks may be, in seconds.
  public var jitter = 0.0
  /// How much a sample of the noise is like the one before it: 0 for white noise.
  public var colour = 0.0
  /// Whether the other device is there.
  public var hasOther = true
  /// Whether the chirp is heard.
  public var hasOwn = true
  /// The value at which the signal, which is four times as loud then, is cut off; `nil` for none.
  public var clip: Double?
  /// A constant in the signal.
  public var constant = 0.0
  /// Whether the other device clicks on every second beat alone.
  public var everySecond = false

  /// A session at 120 bpm and 48 kHz, with a click like LinkHut's, in noise.
  public init() {}

  private var sampleRate: SampleRate { SampleRate(hertz: rate) ?? .standard }
  private var framesPerBeat: Double { 60 / bpm * rate }

  /// The recording that the microphone makes.
  public func recording(_ dice: inout Dice) -> Recording {
    let origin = 0.4 * rate + dice.next() * framesPerBeat
    var samples = [Double](
      repeating: 0, count: Int(origin + framesPerBeat * (Double(beats) + 1) + 1.2 * rate))
    let chirp = ownRoom.heard(Chirp(at: sampleRate).samples.map { Double($0) * ownLevel }, at: rate)
    var weaker = hasOwn ? loudness(of: chirp) : .infinity
    let marks = (0..<beats).map { beat in
      let frame = origin + Double(beat) * framesPerBeat
      var mark = Recording.Beat(frame: frame)
      if Recording.isChirped(beat) {
        let half = (frame + framesPerBeat / 2).rounded()
        mark.chirp = half
        if hasOwn { add(chirp, at: half + (others - offset) * rate, to: &samples) }
      }
      return mark
    }
    if hasOther { weaker = min(weaker, addOthers(from: origin, to: &samples, &dice)) }
    if let signalToNoise {
      let size = (weaker.isFinite ? weaker : 0.01).squareRoot() * pow(10, -signalToNoise / 20)
      addNoise(size, to: &samples, &dice)
    }
    return Recording(
      samples: samples.map { sample in
        let value = sample + constant
        return Float(clip.map { max(-$0, min($0, value * 4)) } ?? value)
      },
      rate: sampleRate, beats: marks, captureLatency: microphone * rate)
  }

  private func add(_ sound: [Double], at frame: Double, to samples: inout [Double]) {
    let start = Int(frame.rounded())
    for (index, sample) in sound.enumerated() where samples.indices.contains(start + index) {
      samples[start + index] += sample
    }
  }

  private func loudness(of sound: [Double]) -> Double {
    let part = sound.prefix(Int(0.02 * rate))
    return part.reduce(0) { $0 + $1 * $1 } / max(1, Double(part.count))
  }

  /// Adds the other device's clicks, and returns how loud they are.
  private func addOthers(from origin: Double, to samples: inout [Double], _ dice: inout Dice) -> Double {
    func click(isAccent: Bool, _ dice: inout Dice) -> [Double] {
      othersRoom.heard(
        sound.samples(at: rate, accent: isAccent, &dice).map { $0 * othersLevel }, at: rate)
    }
    let plain = click(isAccent: false, &dice)
    let accent = click(isAccent: true, &dice)
    let length = framesPerBeat / othersTempo
    var beat = -2.0
    while beat * length + origin < Double(samples.count) {
      let number = Int(beat)
      let isAccent = number % 4 == 0
      let response = sound.isNoise ? click(isAccent: isAccent, &dice) : isAccent ? accent : plain
      let frame = origin + beat * length + (others + dice.next(-1...1) * jitter) * rate
      if !everySecond || number % 2 == 0 { add(response, at: frame, to: &samples) }
      beat += 1
    }
    return loudness(of: plain)
  }

  private func addNoise(_ size: Double, to samples: inout [Double], _ dice: inout Dice) {
    var last = 0.0
    let gain = (1 - colour * colour).squareRoot()
    for index in samples.indices {
      last = colour * last + gain * dice.normal()
      samples[index] += size * last
    }
  }
}
