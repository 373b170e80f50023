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
  private enum Sounding: Sendable {
    case nothing
    /// The count to a start: the beats of these numbers. The last ones may be the song's already.
    case count(first: Int64, last: Int64, song: Int64)
    case song
  }

  /// How many beats a click may be late.
  private static var mostLate: Double { @_noLocks get { 0.5 } }
  /// How many beats the position may be from where it was expected without being elsewhere.
  private static var mostTorn: Double { @_noLocks get { 0.25 } }

  private var sound: ClickSound
  private var sounding = Sounding.nothing
  private var position = PortPosition()
  /// The number of the next beat, counted from the beginning of the song.
  private var number: Int64 = 0
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
    let passed = position.begin(cycle)
    guard let (place, next) = place(in: cycle, lead), position.period > 0 else {
      return sounding = .nothing
    }
    var isElsewhere = goOn(to: place, passed, cycle).magnitude > Click.mostTorn
    if case .nothing = sounding { isElsewhere = true }
    sounding = next
    number =
      isElsewhere
      ? position.first(late: allowance(cycle, lead))
      : max(number, position.whole &+ ceiling(position.rest - Click.mostLate))
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
  private func place(in cycle: SongCycle, _ lead: HostInterval) -> (BeatTime, Sounding)? {
    guard !cycle.isFreewheeling else { return nil }
    let ahead = cycle.tempo.beats(in: lead)
    let length = cycle.meter.beatLength
    if cycle.transport.isRolling {
      // Beats are counted from a bar.
      return (cycle.onGrid - cycle.barsFrom.sinceZero + ahead, .song)
    }
    guard let countIn = cycle.countIn else { return nil }
    // A locate to a beat goes to the frame nearest to it.
    let rounding = cycle.tempo.beats(in: FrameCount(1), at: cycle.rate)
    let first = firstBeat(from: countIn.from - rounding, length)
    let song = firstBeat(from: countIn.to - rounding, length)
    // The song's own first beat may come before the cycle with which JACK begins to roll.
    let last = PortPosition.count(countIn.to + rounding, length).whole
    return (countIn.position + ahead, .count(first: first, last: last, song: song))
  }

  /// Takes the place, and returns how many beats it is beyond where it was expected.
  @_noLocks
  private mutating func goOn(to place: BeatTime, _ passed: Int64, _ cycle: SongCycle) -> Double {
    let before = position
    let length = cycle.meter.beatLength
    beatsPerBar = Int64(cycle.meter.beatsPerBar)
    position.place(at: place, length: length)
    position.go(by: cycle, length: length)
    return position.steps(since: before.whole) - before.rest - Double(passed) / before.framesPerStep
  }

  /// The number of the first beat that is not before `position`.
  @_noLocks
  private func firstBeat(from position: BeatTime, _ length: Beats) -> Int64 {
    let (whole, rest) = PortPosition.count(position, length)
    return rest > 0 ? whole &+ 1 : whole
  }

  /// How many frames a beat may be late when it begins to sound: none, but for the part of a frame; in the
  /// song also for the frames by which it was to be played earlier and cannot be, and for servers that begin
  /// a period after the beginning.
  @_noLocks
  private func allowance(_ cycle: SongCycle, _ lead: HostInterval) -> Double {
    guard cycle.transport.isRolling else { return 1 }
    let early = Double(max(lead, .zero).nanoseconds) * cycle.rate.hertz / 1e9
    let length = cycle.tempo.beats(in: FrameCount(position.period &+ 1), at: cycle.rate)
    let isBeginning = cycle.onGrid.sinceZero.magnitude <= length
    // Beyond half a beat it is nearer to the next one.
    return min(
      early + 1 + (isBeginning ? Double(position.period) : 0), position.framesPerStep * Click.mostLate)
  }

  /// Where in the cycle the next click begins, in frames, and whether it is a bar's; `nil` when there is none
  /// to come. Up to a frame before the cycle it begins between two.
  @_noLocks
  mutating func nextClick() -> (offset: Double, isBar: Bool)? {
    while true {
      let exact = position.steps(since: number) * -position.framesPerStep
      let offset = max(exact < -1 ? 0 : exact, Double(position.free))
      guard offset < Double(position.period) else { return nil }
      var firstOfSong = Int64.min
      switch sounding {
      case .nothing: return nil
      case .count(let first, let last, let song):
        if number > last { return nil }
        if number < first {
          number &+= 1
          continue
        }
        firstOfSong = song
      case .song: break
      }
      let isBar = number >= firstOfSong && number % beatsPerBar == 0
      number &+= 1
      position.note(at: ceiling(offset))
      return (offset, isBar)
    }
  }
}
