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
  /// The song as followers have it.
  private enum Followers: Sendable {
    case stopped
    /// It begins, or goes on, with the clock of that number.
    case due(clock: Int64, isStart: Bool)
    /// It goes on with each clock.
    case running
    /// The same, and with the clock of that number it is to go on, or to begin, elsewhere.
    case leaving(clock: Int64, isStart: Bool)
  }

  /// The transport in the cycle that was taken last.
  private enum Motion: Sendable {
    /// Nothing is sent, for another reason than a stopped transport.
    case interrupted
    /// It does not roll; a start that waits is going to begin in so many frames.
    case stopped(launch: FrameCount?)
    case rolling
    /// For so many frames it has been held where it was relocated, without a Stop: clocks go on, or wait.
    case held(for: Int64, goesOn: Bool)
  }

  /// How many clocks a beat has.
  public static var clocksPerBeat: Int64 { @_noLocks get { 24 } }
  private static var clocksPerSixteenth: Int64 { @_noLocks get { 6 } }
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
  private var followers = Followers.stopped
  private var motion = Motion.interrupted
  private var position = PortPosition()
  /// The number of the next clock, counted from the beginning of the song, or of Link's beats.
  private var number: Int64 = 0
  /// The message of the cycle that is next.
  private var queued: MIDIMessage?

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
    queued = nil
    let passed = position.begin(cycle)
    guard !cycle.isFreewheeling, position.period > 0 else { return motion = .interrupted }
    position.go(by: cycle, length: .one, parts: MIDIClock.clocksPerBeat)
    let isRolling = cycle.transport.isRolling
    if !isRolling, let frames = heldFrames(in: cycle, passed) {
      // Where nothing is known of when it goes on, the song waits.
      let goesOn = isAlways || cycle.countIn != nil
      if goesOn { position.advance(by: passed) }
      return motion = .held(for: frames, goesOn: goesOn)
    }
    let place = cycle.position - cycle.tempo.beats(in: offset)
    position.place(at: place, length: .one, parts: MIDIClock.clocksPerBeat)
    guard isRolling else {
      stop()
      return motion = .stopped(launch: cycle.countIn?.left)
    }
    if !wasRolling || cycle.isLocated || isElsewhere { roll(cycle) }
    motion = .rolling
  }

  /// Takes the last cycle there is: it sends followers a Stop, and nothing after that. Realtime-safe.
  @_noLocks
  public mutating func end() {
    sendStop()
    motion = .interrupted
  }

  /// The next message of the cycle; `nil` when there is no more. Realtime-safe.
  @_noLocks
  public mutating func next() -> MIDIMessage? {
    if let message = queued {
      queued = nil
      return message
    }
    guard sendsClocks else { return nil }
    while true {
      let offset = nextOffset
      if case .leaving(let clock, let isStart) = followers, number >= clock {
        // Between two clocks: a machine that ignores the song position misses no clock.
        let cue = max(offset &- Int64(position.framesPerStep / 2), max(position.last, 0))
        guard cue < position.period else { return nil }
        followers = .due(clock: clock, isStart: isStart)
        if !isStart { queued = MIDIMessage(sixteenth: clock / MIDIClock.clocksPerSixteenth, at: cue) }
        return MIDIMessage(MIDIMessage.stop, at: cue)
      }
      guard offset < position.period else { return nil }
      if case .due(let first, let isStart) = followers, number >= first {
        followers = .running
        return MIDIMessage(isStart ? MIDIMessage.start : MIDIMessage.goOn, at: offset)
      }
      number &+= 1
      if isLaunched(soonAfter: offset) { continue }
      position.note(at: offset)
      return MIDIMessage(MIDIMessage.clock, at: offset)
    }
  }
}

extension MIDIClock {
  /// Whether clocks go with the cycle.
  private var sendsClocks: Bool {
    @_noLocks get {
      switch motion {
      case .interrupted: false
      case .stopped: isAlways
      case .rolling: true
      case .held(_, let goesOn): goesOn
      }
    }
  }

  private var wasRolling: Bool {
    @_noLocks get { if case .rolling = motion { true } else { false } }
  }

  /// Whether followers count clocks.
  private var isRunning: Bool {
    @_noLocks get {
      switch followers {
      case .stopped, .due: false
      case .running, .leaving: true
      }
    }
  }

  /// For how many frames a transport that has rolled until now has been held where it was relocated, if it is
  /// going to roll on at once.
  @_noLocks
  private func heldFrames(in cycle: SongCycle, _ passed: Int64) -> Int64? {
    // Where followers are to go is not where it goes on.
    guard case .running = followers, cycle.transport.isWaiting, passed >= 0 else { return nil }
    let frames: Int64
    switch motion {
    case .interrupted, .stopped: return nil
    case .rolling: frames = 0
    case .held(let before, _): frames = before &+ passed
    }
    let toCome = max(cycle.countIn?.left.count ?? 0, 0)
    let most = max(
      Int64(MIDIClock.longestSeam.clocks * position.framesPerStep),
      MIDIClock.longestSeam.periods &* position.period)
    return frames &+ toCome <= most ? frames : nil
  }

  /// How many clocks the position is ahead of the next one to be sent; negative as long as that is to come.
  private var behind: Double { @_noLocks get { position.steps(since: number) } }

  /// Whether the position has nothing to do with what followers have counted.
  private var isElsewhere: Bool {
    @_noLocks get {
      switch followers {
      case .stopped: true
      case .due: behind > MIDIClock.mostMissing
      case .running, .leaving: behind > MIDIClock.mostMissing || behind < -1 - MIDIClock.mostMissing
      }
    }
  }

  /// The frame of the cycle that the next clock goes with: the one nearest to its place, or the first that is
  /// not too near to the clock before; or about a clock after the cycle, where it is later than that.
  private var nextOffset: Int64 {
    @_noLocks get {
      let exact = 0.5 - behind * position.framesPerStep
      let latest = Double(position.period) + position.framesPerStep
      return max(exact <= 0 ? 0 : Int64(min(exact, latest)), position.free)
    }
  }

  /// The first clock that is to come, or is no more than so many clocks late; upwards, but for what frames are
  /// rounded to.
  @_noLocks
  private func firstClock(late: Double) -> Int64 {
    position.first(late: late * position.framesPerStep, rounding: 0.5)
  }

  /// Stops followers, if they run.
  @_noLocks
  private mutating func stop() {
    sendStop()
    // No follower counts these.
    if case .stopped = motion, behind <= 1.5, behind >= -2 { return }
    number = firstClock(late: 0)
  }

  @_noLocks
  private mutating func sendStop() {
    queued = isRunning ? MIDIMessage(MIDIMessage.stop, at: 0) : nil
    followers = .stopped
  }

  /// The transport rolls, and did not, or not here.
  @_noLocks
  private mutating func roll(_ cycle: SongCycle) {
    if case .running = followers, let clocks = distanceInPhase(cycle.meter) {
      number &+= clocks
      return
    }
    if isBeginning(cycle) {
      sendStop()
      number = 0
      followers = .due(clock: 0, isStart: true)
      // After any earlier place, the first beat is not late.
      position.forget()
      return
    }
    number = max(firstClock(late: MIDIClock.mostLate), 0)
    if case .never = told {
      let bar = firstBar(cycle.meter)
      followers = isRunning ? .leaving(clock: bar, isStart: true) : .due(clock: bar, isStart: true)
      return
    }
    let next = (number &+ MIDIClock.clocksPerSixteenth &- 1) / MIDIClock.clocksPerSixteenth
    let clock = next &* MIDIClock.clocksPerSixteenth
    let canTell = next <= MIDIMessage.lastSixteenth
    if isRunning {
      followers = canTell ? .leaving(clock: clock, isStart: false) : .running
    } else {
      followers = .due(clock: clock, isStart: false)
      if canTell { queued = MIDIMessage(sixteenth: next, at: 0) }
    }
  }

  /// How far in clocks the position is from where followers have counted to, if they may count on: in whole
  /// beats, or in bars for followers that know no position. `nil` where followers need a position, and where
  /// it is off the beat.
  @_noLocks
  private func distanceInPhase(_ meter: Meter) -> Int64? {
    let held: Int64
    switch motion {
    case .interrupted: return nil
    case .stopped, .rolling: held = 0
    case .held(let frames, _): held = frames
    }
    // On average the next clock is half a clock away.
    let distance = behind + 0.5
    let halves: Int64 =
      if case .never = told { MIDIClock.halfClocks(of: meter) } else { 2 * MIDIClock.clocksPerBeat }
    let length = Double(halves) / 2
    let count = Int64(distance / length + (distance < 0 ? -0.5 : 0.5))
    if count != 0, case .always = told { return nil }
    let off = distance - Double(count) * length
    let server = Double(MIDIClock.lateLocate &* position.period &+ held) / position.framesPerStep
    let (least, most) = MIDIClock.offBeat
    // Begun whole, a start is up to half a period late.
    let late = min(least + Double(position.period) / 2 / position.framesPerStep, most)
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
    let length = cycle.tempo.beats(in: FrameCount(position.period &+ 1), at: cycle.rate)
    let oneClock = Beats.one.nanobeats / MIDIClock.clocksPerBeat
    let most = length.nanobeats > oneClock ? length.nanobeats : oneClock
    return cycle.position.sinceZero.magnitude.nanobeats <= most
      && position.steps(since: 0) <= MIDIClock.mostMissing
  }

  /// Whether a start is going to begin so soon that its own first clock takes the place of this one.
  @_noLocks
  private func isLaunched(soonAfter offset: Int64) -> Bool {
    guard case .stopped(let launch?) = motion else { return false }
    let way = Double(launch.count &- offset)
    return way >= 0 && way < position.framesPerStep / 2
  }
}
