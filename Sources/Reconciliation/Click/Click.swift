import MusicalTime

/// Clicks on each beat of the song, with another sound on the first beat of each bar, at the song position
/// that the bridge reads.
///
/// Each beat has a number, which is its place in the song, and sounds where the position comes to it, between
/// two frames if need be. So none is lost or doubled by cycles, tempos or measurements.
///
/// | the transport | what is heard |
/// |---|---|
/// | rolls | the song's beats |
/// | does not, and a start waits | the beats of the quantum before it; and the one it is for, if that comes first |
/// | does not | nothing |
/// | renders, as fast as it can | nothing: frames are no time then |
///
/// A click that has begun sounds to its end. A position that is more than a quarter of a beat away from the
/// server's count is another place: the beats in between do not sound. Otherwise a beat that is late, because
/// cycles were missed, sounds at once if it is less than half a beat late, and never less than a third of a
/// beat after another click.
public struct Click: Sendable {
  /// The beats that sound.
  private enum Standing: Sendable {
    case nothing
    /// The count to a start: the beats of these numbers.
    case count(first: Int64, last: Int64)
    case song
  }

  /// The least distance of two clicks is this part of a beat.
  private static var densest: Double { @_noLocks get { 3 } }
  /// How many beats a click may be late.
  private static var mostLate: Double { @_noLocks get { 0.5 } }
  /// How many beats the position may be from where it was expected without being elsewhere.
  private static var mostTorn: Double { @_noLocks get { 0.25 } }

  private var sound: ClickSound
  private var standing = Standing.nothing
  private var clock = FrameClock()
  /// The first frame of the cycle, by the server's count in 64 bits.
  private var head: Int64 = 0
  private var period: Int64 = 0
  /// The number of the next beat, counted from the beginning of the song.
  private var number: Int64 = 0
  /// The frame of the last click, by the server's count.
  private var last = Int64.min / 2
  /// The first beat that is the song's, and not the count to it.
  private var firstOfSong = Int64.min
  /// The position at the first frame in the meter's beats: a whole number, and the fraction.
  private var whole: Int64 = 0
  private var rest = 0.0
  private var framesPerBeat = 1.0
  private var beatLength = Beats.one
  private var beatsPerBar: Int64 = 1

  /// A click that has not been heard yet.
  public init(_ level: ClickLevel = .standard, at rate: SampleRate) {
    sound = ClickSound(level, at: rate)
  }

  /// Sounds at another rate from the next cycle on. Realtime-safe.
  @_noLocks
  public mutating func begin(at rate: SampleRate) { sound = sound.silent(at: rate) }

  /// Takes a cycle, of which ``render(into:)`` then gives the samples. Realtime-safe.
  ///
  /// - Parameters:
  ///   - cycle: The cycle.
  ///   - lead: How much earlier than at its place a beat is to be played: the time from a frame to its being
  ///     heard, where positions do not allow for that.
  @_noLocks
  public mutating func cycle(_ cycle: SongCycle, lead: HostInterval = .zero) {
    let head = clock.extend(cycle.serverFrame).frame
    let passed = head &- self.head
    self.head = head
    // The server counts anew.
    if passed < 0 { last = Int64.min / 2 }
    period = Int64(cycle.period)
    guard let (position, next) = place(in: cycle, lead), period > 0 else {
      standing = .nothing
      return
    }
    let torn = goOn(to: position, passed, cycle)
    var isElsewhere = torn > Click.mostTorn || torn < -Click.mostTorn
    if case .nothing = standing { isElsewhere = true }
    standing = next
    if isElsewhere {
      number = firstBeat(late: allowance(cycle, lead))
    } else {
      let first = whole &+ ceiling(rest - Click.mostLate)
      if first > number { number = first }
    }
  }

  /// Writes the samples of the cycle that was taken, or of one that was not, in which nothing begins. All of
  /// the buffer is written. Realtime-safe.
  @_noLocks
  public mutating func render(into buffer: UnsafeMutableBufferPointer<Float>) {
    var index = 0
    while let (offset, isBar) = nextClick() {
      let frame = ceiling(offset)
      let begin = frame > 0 ? Int(frame) : 0
      play(into: buffer, from: index, to: begin)
      index = begin
      sound.begin(ago: Double(begin) - offset, isBar: isBar)
    }
    play(into: buffer, from: index, to: buffer.count)
    // None of these clicks begins again before the next cycle is taken.
    period = 0
  }

  @_noLocks
  private mutating func play(into buffer: UnsafeMutableBufferPointer<Float>, from: Int, to end: Int) {
    var index = from
    let end = end < buffer.count ? end : buffer.count
    while index < end {
      buffer[index] = sound.next()
      index &+= 1
    }
  }
}

extension Click {
  /// The position and the beats that sound at the first frame; `nil` for none.
  @_noLocks
  private mutating func place(in cycle: SongCycle, _ lead: HostInterval) -> (BeatTime, Standing)? {
    guard !cycle.isFreewheeling else { return nil }
    let ahead = cycle.tempo.beats(in: lead)
    let length = cycle.meter.beatLength
    if cycle.transport.isRolling {
      firstOfSong = Int64.min
      // Beats are counted from a bar.
      return (cycle.onGrid - cycle.barsFrom.sinceZero + ahead, .song)
    }
    guard let countIn = cycle.countIn else { return nil }
    // A locate to a beat goes to the frame nearest to it.
    let rounding = cycle.tempo.beats(in: FrameCount(1), at: cycle.rate)
    let first = firstBeat(from: countIn.from - rounding, length)
    firstOfSong = firstBeat(from: countIn.to - rounding, length)
    // The song's own first beat may come before the cycle with which JACK begins to roll.
    let last = count(countIn.to + rounding, length).whole
    return (countIn.position + ahead, .count(first: first, last: last))
  }

  /// Takes the position, and returns how many beats it is beyond where it was expected.
  @_noLocks
  private mutating func goOn(to position: BeatTime, _ passed: Int64, _ cycle: SongCycle) -> Double {
    let expected = rest + Double(passed) / framesPerBeat
    let before = whole
    let length = cycle.meter.beatLength
    let isCounted = length == beatLength
    (whole, rest) = count(position, length)
    beatLength = length
    beatsPerBar = Int64(cycle.meter.beatsPerBar)
    let part = Double(length.nanobeats) / 1e9
    framesPerBeat = cycle.rate.hertz * 60 * part / cycle.tempo.beatsPerMinute
    return isCounted ? Double(whole &- before) + rest - expected : .infinity
  }

  /// A position in beats of that length.
  @_noLocks
  private func count(_ position: BeatTime, _ length: Beats) -> (whole: Int64, rest: Double) {
    var (whole, part) = position.sinceZero.nanobeats.quotientAndRemainder(dividingBy: length.nanobeats)
    if part < 0 {
      whole &-= 1
      part &+= length.nanobeats
    }
    return (whole, Double(part) / Double(length.nanobeats))
  }

  /// The number of the first beat that is not before `position`.
  @_noLocks
  private func firstBeat(from position: BeatTime, _ length: Beats) -> Int64 {
    let (whole, rest) = count(position, length)
    return rest > 0 ? whole &+ 1 : whole
  }

  /// The first beat that is to come, or is no more than so many frames late.
  @_noLocks
  private func firstBeat(late: Double) -> Int64 {
    let free = Double(last &+ spacing &- head)
    return whole &+ ceiling(rest + (free > -late ? free : -late) / framesPerBeat)
  }

  /// How many frames a beat may be late when it begins to sound: none, but for the part of a frame; in the
  /// song also for the frames by which it was to be played earlier and cannot be, and for servers that begin
  /// a period after the beginning.
  @_noLocks
  private func allowance(_ cycle: SongCycle, _ lead: HostInterval) -> Double {
    guard cycle.transport.isRolling else { return 1 }
    let early = lead.nanoseconds > 0 ? Double(lead.nanoseconds) * cycle.rate.hertz / 1e9 : 0
    let length = cycle.tempo.beats(in: FrameCount(period &+ 1), at: cycle.rate)
    let isBeginning = cycle.onGrid.sinceZero.magnitude <= length
    let most = early + 1 + (isBeginning ? Double(period) : 0)
    // Beyond that it is nearer to the next one.
    return most < framesPerBeat * Click.mostLate ? most : framesPerBeat * Click.mostLate
  }

  /// The least distance of two clicks, in frames.
  private var spacing: Int64 {
    @_noLocks get {
      let least = Int64(framesPerBeat / Click.densest)
      return least > 1 ? least : 1
    }
  }

  /// Where in the cycle the next click begins, in frames, and whether it is a bar's; `nil` when there is none
  /// to come. Up to a frame before the cycle it begins between two.
  @_noLocks
  mutating func nextClick() -> (offset: Double, isBar: Bool)? {
    while true {
      let exact = (Double(whole &- number) + rest) * -framesPerBeat
      let least = Double(last &+ spacing &- head)
      let soonest = exact < -1 ? 0 : exact
      let offset = soonest > least ? soonest : least
      guard offset < Double(period) else { return nil }
      switch standing {
      case .nothing: return nil
      case .count(let first, let end):
        if number > end { return nil }
        if number < first {
          number &+= 1
          continue
        }
      case .song: break
      }
      let isBar = number >= firstOfSong && number % beatsPerBar == 0
      number &+= 1
      guard offset - exact <= framesPerBeat * Click.mostLate else { continue }
      last = head &+ ceiling(offset)
      return (offset, isBar)
    }
  }

  /// The least whole number that is not below `value`. `Double.rounded` is an opaque call, which real-time
  /// checks reject.
  @inline(__always) @_noLocks
  private func ceiling(_ value: Double) -> Int64 {
    let cut = Int64(value)
    return Double(cut) < value ? cut &+ 1 : cut
  }
}
