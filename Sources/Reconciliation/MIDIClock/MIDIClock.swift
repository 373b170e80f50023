import MusicalTime

/// A MIDI clock: which messages go with which frames of a cycle, 24 clocks in a beat.
///
/// A follower of a MIDI clock counts its clocks. So each clock has a number, which is its place in the song,
/// and the next one is sent where the position comes to it: no intervals are added up, so the count neither
/// drifts nor loses a clock. Where the position has run away from the count, as after cycles in which JACK
/// skipped the bridge, the clocks that are missing follow at no less than a third of their distance; where it
/// waits, so do they. A position that is further off than a beat is another place, and is sent as one.
///
/// | the transport | what is sent |
/// |---|---|
/// | rolls from the beginning of the song | Start, with the first clock |
/// | rolls from elsewhere | the song position of the next sixteenth; Continue, with the clock of that |
/// | goes on at once, whole beats from there | clocks |
/// | goes on at once elsewhere | clocks; before that of the next sixteenth Stop and its song position, Continue with it |
/// | waits for longer than a beat, does not roll any more, or the bridge ends | Stop |
///
/// So a machine that plays patterns gets 24 clocks in each beat through every locate: Stop, song position and
/// Continue leave between two clocks. A song position always comes after a Stop, because MIDI leaves the
/// effect on a running machine open; Ardour, among others, ignores it. A place beyond the last sixteenth that
/// MIDI can name is not sent: a start there is Continue alone.
///
/// ``MIDIClockPosition`` chooses which locates are followed by a song position, or has a Start with the next bar in its
/// place, for machines that know no song position.
public struct MIDIClock: Sendable {
  /// The followers' state.
  private enum Standing: Sendable {
    /// The song is stopped.
    case stopped
    /// Where it begins, or goes on: with the clock of that number.
    case due(clock: Int64, isStart: Bool)
    /// That it goes on with each clock.
    case running
    /// The same, and with the clock of that number it is to go on, or to begin, elsewhere.
    case leaving(clock: Int64, isStart: Bool)
  }

  /// How many clocks a beat has.
  public static var clocksPerBeat: Int64 { @_noLocks get { 24 } }
  private static var clocksPerSixteenth: Int64 { @_noLocks get { 6 } }
  /// The least distance of two clocks is this part of the usual one.
  private static var densest: Double { @_noLocks get { 3 } }
  /// How many clocks may be made up for one after the other: a beat.
  private static var mostMissing: Double { @_noLocks get { 24 } }
  /// How many clocks late a song may go on: then the sixteenth that is meant is this one still.
  private static var mostLate: Double { @_noLocks get { 0.5 } }
  /// How many clocks, or periods, what rolls may be held where it was relocated without a Stop, whichever is longer.
  private static var longestSeam: (clocks: Double, periods: Int64) { @_noLocks get { (24, 10) } }
  /// By how many clocks a transport that goes on whole beats away may be off them, without and with the shift
  /// that the server itself makes at a relocation.
  private static var offBeat: (least: Double, most: Double) { @_noLocks get { (2, 10.5) } }
  /// How many periods a program may locate too late at the end of a loop.
  private static var lateLocate: Int64 { @_noLocks get { 3 } }

  private let isAlways: Bool
  private let told: MIDIClockPosition
  private let offset: HostInterval
  private var standing = Standing.stopped
  private var clock = FrameClock()
  /// The first frame of the cycle, by the server's count in 64 bits.
  private var head: Int64 = 0
  private var period: Int64 = 0
  /// The number of the next clock, counted from the beginning of the song, or of Link's beats.
  private var number: Int64 = 0
  /// The frame of the last clock, by the server's count.
  private var last = Int64.min / 2
  /// The position at the first frame in clocks: a whole number, and the fraction.
  private var whole: Int64 = 0
  private var rest = 0.0
  private var framesPerClock = 1.0
  private var launch: FrameCount?
  private var wasRolling = false
  /// For how many frames what rolled has been held where it was relocated, without a Stop.
  private var seam: Int64?
  /// Whether nothing was sent for other reasons than a stopped transport.
  private var isInterrupted = true
  /// The messages still to be sent in this cycle.
  private var stops = false
  private var sixteenth: Int64?
  /// The frame of the cycle that these go with.
  private var cue: Int64 = 0
  private var isSilent = true

  /// A clock that has sent nothing.
  ///
  /// - Parameters:
  ///   - mode: When it is sent.
  ///   - position: When the song position is.
  ///   - offset: How much later than the beat.
  public init(_ mode: MIDIClockMode, position: MIDIClockPosition = .auto, offset: Offset = .none) {
    isAlways = mode == .always
    told = position
    self.offset = offset.interval
  }

  /// Takes a cycle, of which ``next()`` then gives the messages. Realtime-safe.
  @_noLocks
  public mutating func cycle(_ cycle: SongCycle) {
    (stops, sixteenth, cue) = (false, nil, 0)
    let isRolling = cycle.transport.isRolling
    let passed = takeFrames(cycle)
    guard !cycle.isFreewheeling, period > 0 else {
      isSilent = true
      isInterrupted = true
      return
    }
    let tempo = cycle.tempo
    framesPerClock = cycle.rate.hertz * 60 / (tempo.beatsPerMinute * Double(MIDIClock.clocksPerBeat))
    launch = cycle.launch
    if !isRolling, isSeam(cycle, passed) {
      // Where nothing is known of when it goes on, the song waits.
      let goesOn = isAlways || cycle.launch != nil
      if goesOn { advance(by: passed) }
      isSilent = !goesOn
    } else {
      place(cycle.position - tempo.beats(in: offset))
      if !isRolling {
        stop()
      } else if !wasRolling || cycle.isLocated || isInterrupted || isElsewhere {
        roll(cycle)
      }
      seam = nil
      isSilent = !isRolling && !isAlways
    }
    isInterrupted = false
    wasRolling = isRolling
  }

  /// Takes the last cycle there is: it sends followers a Stop, and nothing after that. Realtime-safe.
  @_noLocks
  public mutating func end() {
    stops = isRunning
    standing = .stopped
    (sixteenth, cue) = (nil, 0)
    isSilent = true
  }

  /// The next message of the cycle; `nil` when there is no more. Realtime-safe.
  @_noLocks
  public mutating func next() -> MIDIMessage? {
    if stops {
      stops = false
      return MIDIMessage(MIDIMessage.stop, at: cue)
    }
    if let sixteenth {
      self.sixteenth = nil
      return MIDIMessage(sixteenth: sixteenth, at: cue)
    }
    guard !isSilent else { return nil }
    while true {
      let offset = nextOffset
      if case .leaving(let clock, let isStart) = standing, number >= clock {
        // Between two clocks: a machine that ignores the song position misses no clock.
        let middle = offset &- Int64(framesPerClock / 2)
        let before = max(last &- head, 0)
        cue = max(middle, before)
        guard cue < period else { return nil }
        standing = .due(clock: clock, isStart: isStart)
        if !isStart { sixteenth = clock / MIDIClock.clocksPerSixteenth }
        return MIDIMessage(MIDIMessage.stop, at: cue)
      }
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
  /// Takes note of where the cycle is, and returns how many frames have passed since the last one.
  @_noLocks
  private mutating func takeFrames(_ cycle: SongCycle) -> Int64 {
    let head = clock.extend(cycle.serverFrame).frame
    let passed = head &- self.head
    self.head = head
    period = Int64(cycle.period)
    // The server counts anew.
    if passed < 0 { last = Int64.min / 2 }
    return passed
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

  /// Has the position go on as it does while the transport rolls.
  @_noLocks
  private mutating func advance(by frames: Int64) {
    rest += Double(max(frames, 0)) / framesPerClock
    let clocks = Int64(rest)
    whole &+= clocks
    rest -= Double(clocks)
  }

  /// Whether followers count clocks.
  private var isRunning: Bool {
    @_noLocks get {
      switch standing {
      case .stopped, .due: false
      case .running, .leaving: true
      }
    }
  }

  /// Whether a transport that has rolled until now is held where it was relocated, and is going to roll on at
  /// once.
  @_noLocks
  private mutating func isSeam(_ cycle: SongCycle, _ passed: Int64) -> Bool {
    // Where followers are to go is not where it goes on.
    guard case .running = standing, cycle.transport.isWaiting, wasRolling || seam != nil, !isInterrupted,
      passed >= 0
    else { return false }
    let frames = wasRolling ? 0 : (seam ?? 0) &+ passed
    seam = frames
    let toCome = max(cycle.launch?.count ?? 0, 0)
    let most = max(
      Int64(MIDIClock.longestSeam.clocks * framesPerClock), MIDIClock.longestSeam.periods &* period)
    return frames &+ toCome <= most
  }

  /// How many clocks the position is ahead of the next one to be sent; negative as long as that is to come.
  private var behind: Double { @_noLocks get { Double(whole &- number) + rest } }

  /// Whether the position has nothing to do with what followers have counted.
  private var isElsewhere: Bool {
    @_noLocks get {
      switch standing {
      case .stopped: true
      case .due: behind > MIDIClock.mostMissing
      case .running, .leaving: behind > MIDIClock.mostMissing || behind < -1 - MIDIClock.mostMissing
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
  /// not too near to the clock before; or about a clock after the cycle, where it is later than that.
  private var nextOffset: Int64 {
    @_noLocks get {
      let exact = 0.5 - behind * framesPerClock
      let latest = Double(period) + framesPerClock
      let wanted = exact <= 0 ? 0 : Int64(exact < latest ? exact : latest)
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

  /// Stops followers, if they run.
  @_noLocks
  private mutating func stop() {
    stops = isRunning
    standing = .stopped
    // No follower counts these.
    if wasRolling || seam != nil || isInterrupted || behind > 1.5 || behind < -2 {
      number = firstClock(late: 0)
    }
  }

  /// The transport rolls, and did not, or not here.
  @_noLocks
  private mutating func roll(_ cycle: SongCycle) {
    if case .running = standing, !isInterrupted, let clocks = distanceInPhase(cycle.meter) {
      number &+= clocks
      return
    }
    if isBeginning(cycle) {
      stops = isRunning
      number = 0
      standing = .due(clock: 0, isStart: true)
      // After any earlier place, the first beat is not late.
      last = Int64.min / 2
      return
    }
    let first = firstClock(late: MIDIClock.mostLate)
    number = first < 0 ? 0 : first
    if case .never = told {
      let bar = firstBar(cycle.meter)
      standing = isRunning ? .leaving(clock: bar, isStart: true) : .due(clock: bar, isStart: true)
      return
    }
    let next = (number &+ MIDIClock.clocksPerSixteenth &- 1) / MIDIClock.clocksPerSixteenth
    let clock = next &* MIDIClock.clocksPerSixteenth
    let canTell = next <= MIDIMessage.lastSixteenth
    if isRunning {
      standing = canTell ? .leaving(clock: clock, isStart: false) : .running
    } else {
      standing = .due(clock: clock, isStart: false)
      if canTell { sixteenth = next }
    }
  }

  /// How far in clocks the position is from where followers have counted to, if they may count on: in whole
  /// beats, or in bars for followers that know no position. `nil` where followers need a position, and where
  /// it is off the beat.
  @_noLocks
  private func distanceInPhase(_ meter: Meter) -> Int64? {
    // On average the next clock is half a clock away.
    let distance = behind + 0.5
    let halves: Int64 =
      if case .never = told { MIDIClock.halfClocks(of: meter) } else { 2 * MIDIClock.clocksPerBeat }
    let length = Double(halves) / 2
    let count = Int64(distance / length + (distance < 0 ? -0.5 : 0.5))
    if count != 0, case .always = told { return nil }
    let off = distance - Double(count) * length
    let server = Double(MIDIClock.lateLocate &* period &+ (seam ?? 0)) / framesPerClock
    let (least, most) = MIDIClock.offBeat
    // Begun whole, a start is up to half a period late.
    let late = min(least + Double(period) / 2 / framesPerClock, most)
    guard off <= late, off >= -min(least + server, most) else { return nil }
    return count &* halves / 2
  }

  /// The clock with which the first bar begins that is not before the next one.
  @_noLocks
  private func firstBar(_ meter: Meter) -> Int64 {
    let halves = MIDIClock.halfClocks(of: meter)
    let bar = (2 &* number &+ halves &- 1) / halves
    return (bar &* halves &+ 1) / 2
  }

  /// The length of a bar in halves of a clock: of a 64th there are three.
  @_noLocks
  private static func halfClocks(of meter: Meter) -> Int64 {
    2 &* MIDIClock.clocksPerBeat &* meter.barLength.nanobeats / Beats.one.nanobeats
  }

  /// Whether it rolls from the beginning of the song: some starts begin a little after it, and some servers
  /// begin a period after the requested frame.
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
    guard let launch, !wasRolling, seam == nil else { return false }
    let way = Double(launch.count &- offset)
    return way >= 0 && way < framesPerClock / 2
  }
}
