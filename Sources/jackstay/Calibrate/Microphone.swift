import Calibration
import JACK
import MusicalTime
import Realtime
import Reconciliation

/// The client of a calibration in JACK's cycles: it records its input, and plays chirps.
///
/// Everything here runs on JACK's real-time thread and follows its rule: nothing allocates, locks, waits or logs.
final class Microphone: RealtimeHandler {
  /// Where a session's beat is, by JACK's clock.
  struct BeatLine: Sendable, BitwiseCopyable {
    /// An instant.
    var time = HostTime<JACKClock>(nanoseconds: 0)
    /// The beat then.
    var beat = 0.0
    /// How many beats go by in a second; 0 as long as nothing is known.
    var beatsPerSecond = 0.0

    @_noLocks
    func beat(at time: HostTime<JACKClock>) -> Double { beat + (time - self.time).seconds * beatsPerSecond }
  }

  /// Something that the real-time thread has done, at a frame of the recording.
  struct Mark: Sendable, BitwiseCopyable {
    /// Whether a chirp was played, which is heard there, or a beat begins.
    var isChirp: Bool
    /// The number of the beat.
    var number: Int
    /// The frame.
    var frame: Double
  }

  /// The data that is shared with the thread that has made it.
  final class Channels: Sendable {
    let line = LatestValue(BeatLine())
    let marks = Ring<Mark>(capacity: 2048)
    /// How many frames of the tape are written.
    let frames = LatestValue(0)
    /// The most frames that there can be.
    let capacity: Int
    fileprivate nonisolated(unsafe) let tape: UnsafeMutablePointer<Float>

    init(capacity: Int) {
      self.capacity = capacity
      tape = .allocate(capacity: capacity)
      // Each page is there before the real-time thread comes to it.
      tape.initialize(repeating: 0, count: capacity)
    }

    deinit { tape.deallocate() }

    /// The recording from a frame on, as far as it is written.
    func samples(from start: Int = 0) -> [Float] {
      let count = frames.reader.read()
      return start < count ? Array(UnsafeBufferPointer(start: tape + start, count: count - start)) : []
    }
  }

  // The channels' own ends are used, not the channels: references are counted, and counting may lock.
  private let channels: Channels
  private let input: AudioInput
  private let output: AudioOutput
  private let line: LatestValue<BeatLine>.Reader
  private let marks: Ring<Mark>.Writer
  private let frames: LatestValue<Int>.Writer
  private let tape: UnsafeMutablePointer<Float>
  private let capacity: Int
  private let chirp: UnsafeMutablePointer<Float>
  private let chirpLength: Int
  private let latency: HostInterval
  private let latencyFrames: Double
  private let state: UnsafeMutablePointer<State>

  private struct State {
    var clock: CycleClock
    var schedule = ChirpSchedule()
    var first: ServerFrame?
    /// The next sample of a chirp that sounds.
    var next: Int?
  }

  /// A client with those ports on a server of that rate, where a cycle's first frame is heard `latency` after its
  /// beginning.
  init(
    input: AudioInput, output: AudioOutput, rate: SampleRate, latency: HostInterval, channels: Channels
  ) {
    (self.input, self.output, self.latency, self.channels) = (input, output, latency, channels)
    (line, marks, frames) = (channels.line.reader, channels.marks.writer, channels.frames.writer)
    (tape, capacity) = (channels.tape, channels.capacity)
    latencyFrames = latency.seconds * rate.hertz
    let samples = Chirp(at: rate).samples
    chirpLength = samples.count
    chirp = .allocate(capacity: samples.count)
    chirp.initialize(from: samples, count: samples.count)
    state = .allocate(capacity: 1)
    state.initialize(to: State(clock: CycleClock(rate: rate)))
    super.init()
  }

  deinit {
    state.deinitialize(count: 1)
    state.deallocate()
    chirp.deallocate()
  }

  @_noLocks
  override func process(_ cycle: CycleContext) {
    let wakeUp = cycle.now()
    var start: Int?
    if let server = cycle.cycleTimes() {
      let times = state.pointee.clock.observe(
        CycleClock.Report(
          frame: server.frame, start: server.start, next: server.next, wakeUp: wakeUp,
          period: cycle.frameCount))
      let index = place(of: server.frame)
      record(cycle, at: index)
      start = due(in: times, at: index, cycle.frameCount)
    }
    play(cycle, from: start)
  }

  /// The place of a frame in the recording.
  @_noLocks
  private func place(of frame: ServerFrame) -> Int {
    guard let first = state.pointee.first else {
      state.pointee.first = frame
      return 0
    }
    return Int(frame.frames(since: first))
  }

  @_noLocks
  private func record(_ cycle: CycleContext, at index: Int) {
    guard let samples = cycle.audioBuffer(of: input), index &+ samples.count <= capacity else {
      return
    }
    var place = 0
    while place < samples.count {
      tape[index &+ place] = samples[place]
      place &+= 1
    }
    frames.write(index &+ samples.count)
  }

  /// The frame of the cycle at which a chirp begins; `nil` for none.
  @_noLocks
  private func due(in times: CycleClock.Times, at index: Int, _ period: UInt32) -> Int? {
    let line = line.read()
    guard line.beatsPerSecond > 0 else { return nil }
    let events = state.pointee.schedule.cycle(
      beats: (line.beat(at: times.start), line.beat(at: times.next)),
      heard: (line.beat(at: times.start + latency), line.beat(at: times.next + latency)), period: period)
    if let beat = events.beat {
      _ = marks.push(Mark(isChirp: false, number: beat.number, frame: Double(index) + beat.offset))
    }
    guard let chirp = events.chirp else { return nil }
    let frame = Double(index &+ chirp.offset) + latencyFrames
    _ = marks.push(Mark(isChirp: true, number: chirp.number, frame: frame))
    return chirp.offset
  }

  @_noLocks
  private func play(_ cycle: CycleContext, from start: Int?) {
    guard let samples = cycle.audioBuffer(of: output) else { return }
    var index = 0
    while index < samples.count {
      if let start, start == index { state.pointee.next = 0 }
      if let next = state.pointee.next, next < chirpLength {
        samples[index] = chirp[next]
        state.pointee.next = next &+ 1
      } else {
        samples[index] = 0
      }
      index &+= 1
    }
  }
}
