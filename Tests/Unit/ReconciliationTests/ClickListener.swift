import MusicalTime
import PropertyTesting
import Testing

@testable import Reconciliation

/// Hears the click of a bridge in a studio.
struct ClickListener {
  /// A click that was heard.
  struct Heard {
    /// When, in whole nanoseconds.
    let time: HostTime<LinkClock>
    let isBar: Bool
    /// Whether JACK rolled, and where it was at the first frame of the cycle.
    let isRolling: Bool
    let frame: TransportFrame
  }

  var song = SongPosition()
  private var click = Click(at: .standard)
  /// How much later a frame is heard than the bridge assumes.
  var lead = HostInterval.zero
  private(set) var heard: [Heard] = []
  /// The last cycle's place in the song.
  private(set) var cycle: SongCycle?

  mutating func listen(_ observation: Observation, _ reconciler: inout Reconciler) {
    let jack = observation.jack
    let owner = reconciler.ownersPlace(at: jack.rate)
    let cycle = song.cycle(
      observation, leader: reconciler.leader, owner: owner, launch: reconciler.pendingLaunch,
      quantum: reconciler.configuration.quantum, bars: reconciler.bars)
    self.cycle = cycle
    click.cycle(cycle, lead: lead)
    while let (offset, isBar) = click.nextClick() {
      let way = HostInterval(nanoseconds: Int64((offset / jack.rate.hertz * 1e9).rounded()))
      heard.append(
        Heard(
          time: jack.start + jack.outputLatency + lead + way, isBar: isBar,
          isRolling: jack.transport.isRolling, frame: jack.frame))
    }
  }
}

/// A song on a JACK server, and the click that is made of it.
struct ClickStage {
  /// A click, at a frame of the server's count and between two.
  struct Heard {
    let frame: Double
    let isBar: Bool
    /// How many beats late it was by the position.
    let late: Double
  }

  var click: Click
  var transport = TransportState.stopped
  var serverFrame: ServerFrame
  var period: UInt32
  var rate: SampleRate
  /// Where the song is, exactly.
  var exact = 0.0
  var tempo: Tempo
  var meter: Meter
  var barsFrom = BeatTime.zero
  /// Where a start that waits begins, the quantum before it, and how far it is.
  var start: (beat: Double, quantum: Double, way: Double)?
  var lead = HostInterval.zero
  var isFreewheeling = false
  private(set) var heard: [Heard] = []
  /// All samples of the written cycles.
  private(set) var samples: [Float] = []
  /// The server's count in 64 bits.
  private(set) var head: Int64

  init(
    period: UInt32 = 256, rate: SampleRate = .standard, tempo: Tempo = .standard, meter: Meter = .common,
    level: ClickLevel = .standard, serverFrame: ServerFrame = 0
  ) {
    click = Click(level, at: rate)
    self.period = period
    self.rate = rate
    self.tempo = tempo
    self.meter = meter
    self.serverFrame = serverFrame
    head = Int64(serverFrame.number)
  }

  static func any(_ random: inout Seeded, period: UInt32? = nil) throws -> ClickStage {
    let rates: [Double] = [44_100, 48_000, 96_000, 192_000]
    let meters = [(4, 4), (3, 4), (6, 8), (7, 8), (5, 16), (2, 2)].map(Meter.init(beatsPerBar:beatType:))
    return ClickStage(
      period: period ?? [16, 64, 256, 441, 1024, 8192].randomElement(using: &random) ?? 256,
      rate: try #require(rates.randomElement(using: &random).flatMap(SampleRate.init(hertz:))),
      tempo: try PositionTests.anyTempo(&random),
      meter: try #require(meters.randomElement(using: &random) ?? nil),
      serverFrame: ServerFrame(.random(in: 0...UInt32.max, using: &random)))
  }

  /// The length of one of the meter's beats, in frames.
  var framesPerBeat: Double {
    rate.hertz * 60 / tempo.beatsPerMinute * meter.beatLength.doubleValue
  }

  /// The position in the meter's beats.
  var beats: Double { exact / meter.beatLength.doubleValue }

  /// Where the song is.
  var position: BeatTime {
    get { BeatTime(clamping: exact) }
    set { exact = newValue.doubleValue }
  }

  private var countIn: CountIn? {
    start.map {
      CountIn(
        position: BeatTime(clamping: $0.beat - $0.way), from: BeatTime(clamping: $0.beat - $0.quantum),
        to: BeatTime(clamping: $0.beat), left: FrameCount(0))
    }
  }

  private var cycleNow: SongCycle {
    SongCycle(
      transport: transport, isLocated: false, serverFrame: serverFrame, period: period, rate: rate,
      position: position, onGrid: position, tempo: tempo, meter: meter, barsFrom: barsFrom, countIn: countIn,
      isFreewheeling: isFreewheeling)
  }

  /// Runs a cycle, and notes what begins in it.
  mutating func cycle() {
    click.cycle(cycleNow, lead: lead)
    let place = transport == .rolling ? exact : start.map { $0.beat - $0.way } ?? .nan
    let from = place / meter.beatLength.doubleValue
    while let (offset, isBar) = click.nextClick() {
      let beat = from + (offset + Double(lead.nanoseconds) * rate.hertz / 1e9) / framesPerBeat
      heard.append(Heard(frame: Double(head) + offset, isBar: isBar, late: beat - beat.rounded()))
    }
    pass(FrameCount(Int64(period)))
  }

  /// Runs a cycle, and notes its samples.
  mutating func render() {
    click.cycle(cycleNow, lead: lead)
    var buffer = [Float](repeating: .nan, count: Int(period))
    buffer.withUnsafeMutableBufferPointer { click.render(into: $0) }
    samples += buffer
    pass(FrameCount(Int64(period)))
  }

  /// Lets frames go by in which the server skips the bridge.
  mutating func pass(_ frames: FrameCount) {
    head += frames.count
    serverFrame = serverFrame + UInt32(frames.count)
    let way = Double(frames.count) / rate.hertz * tempo.beatsPerMinute / 60
    if transport == .rolling { exact += way }
    start?.way -= way
  }

  /// Rolls for so many of the meter's beats.
  mutating func roll(beats: Double) {
    let end = self.beats + beats
    while self.beats < end { cycle() }
  }
}
