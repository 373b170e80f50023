import MusicalTime
import Reconciliation

/// A follower of a MIDI clock, by the book: it counts clocks, and knows nothing else.
struct MIDIFollower {
  /// Whether its song goes on with the next clock.
  private(set) var isRunning = false
  /// The number of the next clock of its song.
  private(set) var next: Int64 = 0
  /// Messages to it that break the rules.
  private(set) var faults: [String] = []
  /// The frame and the number of each clock that it counted.
  private(set) var counted: [(frame: Int64, number: Int64)] = []
  /// The frame of each clock, counted or not.
  private(set) var clocks: [Int64] = []
  /// Messages that were not clocks, and the frames of those that prepare another place.
  private(set) var others: [UInt8] = []
  private(set) var cues: [Int64] = []
  private var last: Int64?

  /// Takes the messages of a cycle that begins at `head`.
  mutating func take(_ messages: [MIDIMessage], of period: UInt32, from head: Int64) {
    var before: UInt32 = 0
    for message in messages {
      if message.offset >= period { faults.append("\(message) in a cycle of \(period)") }
      if message.offset < before { faults.append("\(message) after one at \(before)") }
      before = message.offset
      take(message, at: head + Int64(message.offset))
    }
  }

  private mutating func take(_ message: MIDIMessage, at frame: Int64) {
    if message.status != MIDIMessage.clock { others.append(message.status) }
    if message.count != (message.status == MIDIMessage.songPosition ? 3 : 1) {
      faults.append("\(message) of \(message.count) bytes")
    }
    if [MIDIMessage.stop, MIDIMessage.songPosition].contains(message.status) { cues.append(frame) }
    switch message.status {
    case MIDIMessage.clock:
      clocks.append(frame)
      if isRunning {
        counted.append((frame, next))
        next += 1
      }
    case MIDIMessage.start:
      if isRunning { faults.append("start while it runs") }
      (isRunning, next) = (true, 0)
    case MIDIMessage.goOn:
      if isRunning { faults.append("continue while it runs") }
      isRunning = true
    case MIDIMessage.stop:
      if !isRunning { faults.append("stop while it rests") }
      isRunning = false
    case MIDIMessage.songPosition:
      if isRunning { faults.append("song position while it runs") }
      if message.first > 127 || message.second > 127 { faults.append("eight bits in \(message)") }
      next = (Int64(message.first) + Int64(message.second) << 7) * 6
    default: faults.append("unknown \(message)")
    }
  }
}

/// A song on a JACK server, a MIDI clock of it, and its follower.
struct MIDIStage {
  var clock: MIDIClock
  var transport = TransportState.stopped
  /// Whether a client has located since the last cycle.
  var isLocated = false
  var serverFrame: ServerFrame
  var period: UInt32
  var rate: SampleRate
  /// Where the song is, or Link's beat while it is stopped.
  var position = BeatTime.zero
  var tempo: Tempo
  var meter = Meter.common
  var launch: FrameCount?
  var isFreewheeling = false
  var follower = MIDIFollower()
  /// How far a clock that was counted was at most from its place, in frames.
  var misplaced = 0.0
  /// The server's count in 64 bits.
  private(set) var head: Int64

  init(
    _ mode: MIDIClockMode = .rolling, told: MIDIClockPosition = .auto, offset: Double = 0,
    period: UInt32 = 256,
    rate: SampleRate = .standard, tempo: Tempo = .standard, serverFrame: ServerFrame = 0
  ) {
    clock = MIDIClock(mode, position: told, offset: Offset(milliseconds: offset) ?? .none)
    self.period = period
    self.rate = rate
    self.tempo = tempo
    self.serverFrame = serverFrame
    head = Int64(serverFrame.number)
  }

  /// The frames from one clock to the next.
  var framesPerClock: Double { rate.hertz * 60 / (tempo.beatsPerMinute * 24) }

  /// Where the song is, in beats.
  var exact: Double {
    get { position.doubleValue }
    set { position = BeatTime(clamping: newValue) }
  }

  /// The position in clocks at the end of the last cycle.
  var clocks: Double { position.doubleValue * 24 }

  /// Runs a cycle and returns its messages.
  @discardableResult mutating func cycle() -> [MIDIMessage] {
    clock.cycle(
      SongCycle(
        transport: transport, isLocated: isLocated, serverFrame: serverFrame, period: period, rate: rate,
        position: position, onGrid: position, tempo: tempo, meter: meter, barsFrom: .zero,
        countIn: launch.map { CountIn(position: position, from: position, to: position, left: $0) },
        isFreewheeling: isFreewheeling))
    isLocated = false
    var messages: [MIDIMessage] = []
    while let message = clock.next() { messages.append(message) }
    let known = follower.counted.count
    follower.take(messages, of: period, from: head)
    for clock in follower.counted[known...] {
      let exact = (Double(clock.number) - clocks) * framesPerClock
      misplaced = max(misplaced, abs(Double(clock.frame - head) - exact))
    }
    pass(FrameCount(Int64(period)))
    return messages
  }

  /// Lets frames go by in which the server skips the bridge.
  mutating func pass(_ frames: FrameCount) {
    head += frames.count
    serverFrame = serverFrame + UInt32(frames.count)
    if let left = launch { launch = FrameCount(left.count - frames.count) }
    if transport == .rolling { position = position + tempo.beats(in: frames, at: rate) }
  }

  /// Locates while it rolls.
  ///
  /// - Parameters:
  ///   - beats: By how many beats the song is further on than if nothing had happened.
  ///   - cycles: How many cycles JACK waits meanwhile.
  ///   - isHeld: Whether it waits for the bridge, by which the song goes on meanwhile, or stands still.
  mutating func locate(by beats: Double, waiting cycles: Int, isHeld: Bool) {
    transport = cycles > 0 ? .starting : .rolling
    for index in 0..<cycles {
      if isHeld { launch = FrameCount(Int64(period) * Int64(cycles - index)) }
      cycle()
    }
    launch = nil
    transport = .rolling
    isLocated = true
    if isHeld { position = position + tempo.beats(in: FrameCount(Int64(period) * Int64(cycles)), at: rate) }
    position = position + BeatTime(clamping: beats).sinceZero
  }

  /// Rolls for so many clocks.
  mutating func roll(clocks: Double) {
    let end = self.clocks + clocks
    while self.clocks < end { cycle() }
  }
}
