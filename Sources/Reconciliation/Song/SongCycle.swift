import MusicalTime

/// The facts of a cycle for the ports that play along with the song.
public struct SongCycle: Sendable, BitwiseCopyable {
  /// JACK's transport state.
  public var transport: TransportState
  /// Whether the transport is elsewhere than the cycles that have passed have brought it.
  public var isLocated: Bool
  /// The server's own count of frames at the first frame.
  public var serverFrame: ServerFrame
  /// The number of frames.
  public var period: UInt32
  /// The server's sample rate.
  public var rate: SampleRate
  /// Where the music is at the first frame, as it is heard: in the song while the transport rolls, else
  /// Link's beat.
  public var position: BeatTime
  /// The same, but while Link leads exactly where Link has it, also where JACK clients read something else
  /// because a transport can begin only where a cycle does.
  public var onGrid: BeatTime
  /// How fast that goes on.
  public var tempo: Tempo
  /// How the bars of the song are counted.
  public var meter: Meter
  /// A position at which a bar begins.
  public var barsFrom: BeatTime
  /// The count to a start that waits; `nil` when none does.
  public var countIn: CountIn?
  /// Whether JACK runs as fast as it can: frames are no time then.
  public var isFreewheeling: Bool

  /// A cycle.
  @_noLocks
  public init(
    transport: TransportState, isLocated: Bool, serverFrame: ServerFrame, period: UInt32,
    rate: SampleRate, position: BeatTime, onGrid: BeatTime, tempo: Tempo, meter: Meter,
    barsFrom: BeatTime, countIn: CountIn?, isFreewheeling: Bool
  ) {
    self.transport = transport
    self.isLocated = isLocated
    self.serverFrame = serverFrame
    self.period = period
    self.rate = rate
    self.position = position
    self.onGrid = onGrid
    self.tempo = tempo
    self.meter = meter
    self.barsFrom = barsFrom
    self.countIn = countIn
    self.isFreewheeling = isFreewheeling
  }
}

/// The count to a start that waits: where the song would be if it had always been going on.
public struct CountIn: Sendable, BitwiseCopyable {
  /// Where it is at the first frame of the cycle, as it is heard.
  public var position: BeatTime
  /// Where it begins: a quantum before the song.
  public var from: BeatTime
  /// Where the song begins, or goes on.
  public var to: BeatTime
  /// In how many frames from the first one on it rolls.
  public var left: FrameCount

  /// A count.
  @_noLocks
  public init(position: BeatTime, from: BeatTime, to: BeatTime, left: FrameCount) {
    self.position = position
    self.from = from
    self.to = to
    self.left = left
  }
}
