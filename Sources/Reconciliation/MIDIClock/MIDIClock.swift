import MusicalTime

/// A MIDI clock: which messages go with which frames of a cycle, 24 clocks in a beat.
///
/// Who follows a MIDI clock counts. So each clock has a number, which is its place in the song, and the next
/// one is sent where the position comes to it: what is counted is never what intervals add up to, and so
/// neither drifts nor forgets. Where the position has run away from the count, as after cycles that we were
/// not let run in, the clocks that are missing follow at no less than a third of their distance; where it
/// waits, so do they. What is further off than a beat is another place, and is told as such.
///
/// | the transport | what is sent |
/// |---|---|
/// | rolls from the beginning of the song | Start, with the first clock |
/// | rolls from elsewhere | the song position of the next sixteenth; Continue, with the clock of that |
/// | rolls on elsewhere | Stop; then as above |
/// | does not roll any more, or the bridge ends | Stop |
///
/// Stop comes before a song position because followers, Ardour among them, take none while they run. What is
/// beyond the last sixteenth that MIDI can name goes on with Continue alone.
public struct MIDIClock: Sendable {
  /// What followers know of the song.
  private enum Standing: Sendable {
    /// That it rests.
    case stopped
    /// Where it begins, or goes on: with the clock of that number.
    case due(clock: Int64, isStart: Bool)
    /// That it goes on with each clock.
    case running
  }

  /// How many clocks a beat has.
  public static var clocksPerBeat: Int64 { @_noLocks get { 24 } }
  /// The least distance of two clocks is this part of the usual one.
  private static var densest: Double { @_noLocks get { 3 } }
  /// How many clocks may be made up for one after the other: a beat.
  private static var mostMissing: Double { @_noLocks get { 24 } }
  /// How many periods a transport may be from where the server's count puts it without being relocated.
  private static var mostTorn: Int64 { @_noLocks get { 8 } }
  /// How many clocks late a song may go on: then the sixteenth that is meant is this one still.
  private static var mostLate: Double { @_noLocks get { 0.5 } }

  private let isAlways: Bool
  private let offset: HostInterval
  private var standing = Standing.stopped
  private var clock = FrameClock()
  /// The first frame of the cycle, by the server's count in 64 bits.
  private var head: Int64 = 0
  private var period: Int64 = 0
  /// The number of the next clock, counted from the beginning of what the position counts.
  private var number: Int64 = 0
  /// The frame of the last clock, by the server's count.
  private var last = Int64.min / 2
  /// The position at the first frame in clocks: a whole number, and what is left of it.
  private var whole: Int64 = 0
  private var rest = 0.0
  private var framesPerClock = 1.0
  private var launch: FrameCount?
  private var frame: TransportFrame = 0
  private var wasRolling = false
  /// Whether nothing was sent for other reasons than a transport that rests.
  private var isInterrupted = true
  /// What is still to be sent in this cycle.
  private var stops = false
  private var sixteenth: Int64?
  private var isSilent = true

  /// A clock that has sent nothing.
  ///
  /// - Parameters:
  ///   - mode: When it is sent.
  ///   - offset: How much later than the beat.
  public init(_ mode: MIDIClockMode, offset: Offset = .none) {
    isAlways = mode == .always
    self.offset = offset.interval
  }

  /// Takes a cycle, of which ``next()`` then gives the messages. Realtime-safe.
  @_noLocks
  public mutating func cycle(_ cycle: SongCycle) {
    stops = false
    sixteenth = nil
    let isRolling = cycle.transport.isRolling
    let isRelocated = takeFrames(cycle)
    guard !cycle.isFreewheeling, period > 0 else {
      isSilent = true
      isInterrupted = true
      return
    }
    let tempo = cycle.tempo
    framesPerClock = cycle.rate.hertz * 60 / (tempo.beatsPerMinute * Double(MIDIClock.clocksPerBeat))
    place(cycle.position - tempo.beats(in: offset))
    launch = cycle.launch
    if isRolling {
      if !wasRolling || isRelocated || isInterrupted || isElsewhere { roll(cycle) }
    } else {
      if case .running = standing { stops = true }
      standing = .stopped
      // Nobody counts these.
      if wasRolling || isInterrupted || behind > 1.5 || behind < -2 { number = firstClock(late: 0) }
    }
    isSilent = !isRolling && !isAlways
    isInterrupted = false
    wasRolling = isRolling
  }

  /// Takes the last cycle there is: who follows is told to stop, and nothing is sent any more. Realtime-safe.
  @_noLocks
  public mutating func end() {
    if case .running = standing { stops = true }
    standing = .stopped
    sixteenth = nil
    isSilent = true
  }

  /// The next message of the cycle; `nil` when there is no more. Realtime-safe.
  @_noLocks
  public mutating func next() -> MIDIMessage? {
    if stops {
      stops = false
      return MIDIMessage(MIDIMessage.stop, at: 0)
    }
    if let sixteenth {
      self.sixteenth = nil
      return MIDIMessage(sixteenth: sixteenth, at: 0)
    }
    guard !isSilent else { return nil }
    while true {
      let offset = nextOffset
      guard offset < period else { return nil }
      if case .due(let first, let isStart) = standing, number >= first {
        standing = .running
        return MIDIMessage(isStart ? MIDIMessage.start : MIDIMessage.goOn, at: offset)
      }
      number &+= 1
      if isLaunched(soonAfter: offset) { continue }
      last = head &+ offset
      return MIDIMessage(MIDIMessage.clock, at: offset)
    }
  }
}

extension MIDIClock {
  /// Takes note of where the cycle is, and returns whether somebody has relocated what rolls on.
  @_noLocks
  private mutating func takeFrames(_ cycle: SongCycle) -> Bool {
    let head = clock.extend(cycle.serverFrame).frame
    let passed = head &- self.head
    let way = (cycle.frame - frame).count &- passed
    let longest = max(Int64(cycle.period), period)
    self.head = head
    frame = cycle.frame
    period = Int64(cycle.period)
    // The server counts anew.
    if passed < 0 { last = Int64.min / 2 }
    // A server that has stood still may count cycles in which its transport stays where it is.
    return wasRolling && way.magnitude > UInt64(MIDIClock.mostTorn &* longest)
  }

  /// Counts the position at the first frame in clocks.
  @_noLocks
  private mutating func place(_ position: BeatTime) {
    let beat: Int64 = 1_000_000_000
    var (beats, part) = position.sinceZero.nanobeats.quotientAndRemainder(dividingBy: beat)
    if part < 0 {
      beats &-= 1
      part &+= beat
    }
    let (clocks, left) = (part &* MIDIClock.clocksPerBeat).quotientAndRemainder(dividingBy: beat)
    whole = beats &* MIDIClock.clocksPerBeat &+ clocks
    rest = Double(left) / 1e9
  }

  /// How many clocks the position is ahead of the next one to be sent; negative as long as that is to come.
  private var behind: Double { @_noLocks get { Double(whole &- number) + rest } }

  /// Whether the position has nothing to do with what followers have counted.
  private var isElsewhere: Bool {
    @_noLocks get {
      switch standing {
      case .stopped: true
      case .due: behind > MIDIClock.mostMissing
      case .running: behind > MIDIClock.mostMissing || behind < -1 - MIDIClock.mostMissing
      }
    }
  }

  /// The least distance of two clocks, in frames.
  private var spacing: Int64 {
    @_noLocks get {
      let least = Int64(framesPerClock / MIDIClock.densest)
      return least > 1 ? least : 1
    }
  }

  /// The frame of the cycle that the next clock goes with: the one nearest to its place, or the first that is
  /// not too near to the clock before.
  private var nextOffset: Int64 {
    @_noLocks get {
      let exact = 0.5 - behind * framesPerClock
      let wanted = exact <= 0 ? 0 : exact >= Double(period) ? period : Int64(exact)
      let least = last &+ spacing &- head
      return wanted > least ? wanted : least
    }
  }

  /// The first clock that is to come, or is no more than so many clocks late.
  @_noLocks
  private func firstClock(late: Double) -> Int64 {
    let free = Double(last &+ spacing &- head) / framesPerClock
    let from = rest + (free > -late ? free : -late)
    // Upwards, but not for what frames are rounded to.
    let rounding = 0.5 / framesPerClock
    let down = Int64(from - rounding)
    let isWhole = Double(down) >= from - rounding
    return whole &+ (isWhole ? down : from - rounding < 0 ? down : down &+ 1)
  }

  /// Has followers begin, or go on from the next sixteenth.
  @_noLocks
  private mutating func roll(_ cycle: SongCycle) {
    if case .running = standing { stops = true }
    if isBeginning(cycle) {
      number = 0
      standing = .due(clock: 0, isStart: true)
      // Whatever was before it, the first beat is not late.
      last = Int64.min / 2
      return
    }
    let first = firstClock(late: MIDIClock.mostLate)
    number = first < 0 ? 0 : first
    let next = (number &+ 5) / 6
    standing = .due(clock: next &* 6, isStart: false)
    if next <= MIDIMessage.lastSixteenth { sixteenth = next }
  }

  /// Whether it rolls from the beginning of the song: there are starts that begin a little after it, and
  /// servers that begin a period after what is asked for.
  @_noLocks
  private func isBeginning(_ cycle: SongCycle) -> Bool {
    let length = cycle.tempo.beats(in: FrameCount(period &+ 1), at: cycle.rate)
    let oneClock = Beats.one.nanobeats / MIDIClock.clocksPerBeat
    let most = length.nanobeats > oneClock ? length.nanobeats : oneClock
    return cycle.position.sinceZero.magnitude.nanobeats <= most
      && Double(whole) + rest <= MIDIClock.mostMissing
  }

  /// Whether a start is going to begin so soon that its own first clock takes the place of this one.
  @_noLocks
  private func isLaunched(soonAfter offset: Int64) -> Bool {
    guard let launch, !wasRolling else { return false }
    let way = Double(launch.count &- offset)
    return way >= 0 && way < framesPerClock / 2
  }
}
