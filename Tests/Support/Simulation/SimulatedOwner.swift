import MusicalTime
import PropertyTesting
import Reconciliation

/// Another client that owns JACK's timebase, and what it publishes.
public struct SimulatedOwner: Sendable {
  /// How far it can be trusted.
  public enum Honesty: Sendable, Equatable {
    /// Everything it says is so.
    case truthful
    /// Its beats are right, its tempo is not.
    case liesAboutTempo
    /// It owns the timebase and publishes nothing.
    case silent
    /// Nothing it says makes sense.
    case garbage
  }

  var honesty: Honesty
  private(set) var beatsPerMinute: Double
  var ticksPerBeat: Double
  /// How far ahead of itself it is while it waits.
  var lead: WaitingLead
  private var anchor: (frame: TransportFrame, beat: Double)
  /// The tempo that it glides to from there on, and how many seconds that takes.
  private var glide: (to: Double, seconds: Double)?
  /// Its meters: from which beat on, and which bar that is, counted from 0.
  private var meters: [(beat: Double, bar: Int32, meter: Meter)] = [(0, 0, .common)]

  init(_ honesty: Honesty, beatsPerMinute: Double, ticksPerBeat: Double, lead: UInt32) {
    self.honesty = honesty
    self.beatsPerMinute = beatsPerMinute
    self.ticksPerBeat = ticksPerBeat
    self.lead = WaitingLead(frames: lead)
    anchor = (0, 0)
  }

  /// The shortest beat that its meters count, where its song has more than one meter.
  var shortestBeat: Beats? {
    meters.count > 1 ? meters.map(\.meter.beatLength).min() : nil
  }

  /// Whether another meter begins after one frame, up to another.
  func beginsMeter(
    after earlier: TransportFrame, upTo later: TransportFrame, _ rate: SampleRate
  ) -> Bool {
    let (from, to) = (beat(at: earlier, rate), beat(at: later, rate))
    return meters.contains { from < $0.beat && $0.beat <= to }
  }

  /// The frame where its tempo changes.
  var lastChange: TransportFrame { anchor.frame }

  /// The first frame of its last tempo or meter, whichever begins later.
  func lastMarker(_ rate: SampleRate) -> TransportFrame {
    let way = (meters.last?.beat ?? 0) - anchor.beat
    // No marker is after a glide.
    guard way > 0, glide == nil else { return anchor.frame }
    return anchor.frame + UInt32(min((way / beatsPerMinute * 60 * rate.hertz).rounded(.up), 1e9))
  }

  /// Its tempo changes at `frame`.
  mutating func changeTempo(to beatsPerMinute: Double, at frame: TransportFrame, _ rate: SampleRate) {
    anchor = (frame, beat(at: frame, rate))
    glide = nil
    self.beatsPerMinute = beatsPerMinute
  }

  /// Its tempo glides from what it is at `frame` to another one.
  mutating func glide(
    to target: Double, over interval: HostInterval, at frame: TransportFrame, _ rate: SampleRate
  ) {
    let from = beatsPerMinute(at: frame, rate)
    changeTempo(to: from, at: frame, rate)
    glide = (target, Double(interval.nanoseconds) / 1e9)
  }

  /// Its meter is another one so many bars after `frame`.
  mutating func changeMeter(to meter: Meter, after bars: Int, from frame: TransportFrame, _ rate: SampleRate)
  {
    let beat = beat(at: frame, rate)
    // The beats after it belong to another song now.
    meters = [meters[0]] + meters.dropFirst().filter { $0.beat <= beat }
    let part = meters[meters.count - 1]
    let length = part.meter.barLength.doubleValue
    let bar = ((beat - part.beat) / length).rounded(.up) + Double(bars)
    meters.append((part.beat + bar * length, part.bar + Int32(bar), meter))
  }

  /// Whether its tempo glides at `frame`, or did a second ago.
  func isGliding(at frame: TransportFrame, _ rate: SampleRate) -> Bool {
    guard let glide, frame.number >= anchor.frame.number else { return false }
    return Double(frame.frames(since: anchor.frame)) / rate.hertz < glide.seconds + 1
  }

  /// The tempo that it declares where it lies about it: the same before the last change as after it.
  var lie: Double { beatsPerMinute * 0.7 }

  /// Where it says that `frame` is, in quarter notes from bar 1 beat 1.
  func beat(at frame: TransportFrame, _ rate: SampleRate) -> Double {
    guard frame.number < anchor.frame.number else {
      let seconds = Double(frame.frames(since: anchor.frame)) / rate.hertz
      guard let glide else { return anchor.beat + seconds * beatsPerMinute / 60 }
      let within = min(seconds, glide.seconds)
      let mean = beatsPerMinute + (glide.to - beatsPerMinute) * within / glide.seconds / 2
      return anchor.beat + (mean * within + glide.to * (seconds - within)) / 60
    }
    return anchor.beat * Double(frame.number) / Double(anchor.frame.number)
  }

  /// How long a tick of its own lasts at a tempo: so much less exact is a position that clients read.
  func tick(at beatsPerMinute: Double) -> HostInterval {
    HostInterval(nanoseconds: Int64(60e9 / beatsPerMinute / ticksPerBeat))
  }

  /// Its tempo there: before the last change, what makes the beats meet.
  func beatsPerMinute(at frame: TransportFrame, _ rate: SampleRate) -> Double {
    guard frame.number >= anchor.frame.number else {
      return anchor.beat * 60 * rate.hertz / Double(anchor.frame.number)
    }
    guard let glide else { return beatsPerMinute }
    let part = min(Double(frame.frames(since: anchor.frame)) / rate.hertz / glide.seconds, 1)
    return beatsPerMinute + (glide.to - beatsPerMinute) * part
  }

  func reading(of frame: TransportFrame, _ rate: SampleRate, _ random: inout Seeded) -> TimebaseReading {
    switch honesty {
    case .silent: .absent
    case .garbage: garbage(&random)
    case .truthful: truth(frame, rate, says: beatsPerMinute(at: frame, rate))
    case .liesAboutTempo: truth(frame, rate, says: lie)
    }
  }

  private func truth(_ frame: TransportFrame, _ rate: SampleRate, says declared: Double) -> TimebaseReading {
    let quarters = beat(at: frame, rate)
    let part = meters.last { $0.beat <= quarters } ?? meters[0]
    let beats = (quarters - part.beat) / part.meter.beatLength.doubleValue
    let whole = beats.rounded(.down)
    let inBar = Double(part.meter.beatsPerBar)
    let bar = (whole / inBar).rounded(.down)
    return TimebaseReading(
      isValid: true, bar: part.bar + Int32(bar) + 1, beat: Int32(whole - bar * inBar) + 1,
      tick: Int32((beats - whole) * ticksPerBeat), beatsPerBar: Float(part.meter.beatsPerBar),
      beatType: Float(part.meter.beatType), ticksPerBeat: ticksPerBeat,
      beatsPerMinute: declared * Double(part.meter.beatType) / 4)
  }

  private func garbage(_ random: inout Seeded) -> TimebaseReading {
    let number = random.pick([.nan, .infinity, -1, 0, 1e300, 120, .leastNonzeroMagnitude, 4])
    let whole = random.pick([Int32.min, -1, 0, 1, 2, 1_000_000, .max])
    return TimebaseReading(
      isValid: !random.oneIn(4), bar: whole, beat: random.pick([1, 0, 4, whole]),
      tick: random.pick([0, -1, whole]), beatsPerBar: random.pick([4, Float(number)]),
      beatType: random.pick([4, Float(number)]), ticksPerBeat: random.pick([1920, number]),
      beatsPerMinute: number, tickDouble: random.oneIn(3) ? number : nil,
      bbtFrameOffset: random.oneIn(3) ? .max : nil)
  }
}

/// How far ahead of itself an owner is while the transport does not roll. When it does, the owner stands
/// still for whole cycles until it is where it says, as Ardour does.
public struct WaitingLead: Sendable {
  /// The frames that it is ahead.
  public var frames: UInt32
  /// Where it stands still.
  private var place: TransportFrame?

  /// An owner that is so many frames ahead.
  public init(frames: UInt32) {
    self.frames = frames
  }

  /// The frame that its position is of when JACK asks about `frame`, while the transport does what it does.
  public mutating func shown(
    for frame: TransportFrame, while motion: TransportState, period: UInt32
  ) -> TransportFrame {
    guard motion.isRolling else {
      place = nil
      return frame + frames
    }
    guard frames >= period else { return frame }
    let end = place ?? frame + frames
    place = end
    return (1...Int64(frames)).contains((end - frame).count) ? end : frame
  }
}

extension TimebaseReading {
  /// The values that JACK clients read of an entry that the bridge publishes.
  init(_ entry: TimebaseEntry) {
    self.init(
      isValid: true, bar: entry.position.bar, beat: entry.position.beat, tick: entry.position.tick,
      beatsPerBar: Float(entry.position.meter.beatsPerBar), beatType: Float(entry.position.meter.beatType),
      ticksPerBeat: Double(entry.position.ticksPerBeat.count), beatsPerMinute: entry.beatsPerMinute)
  }
}
