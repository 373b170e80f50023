import MusicalTime

/// What of an ``Observation`` says where the music is: all that is remembered until JACK asks about the next cycle.
struct Moment: Sendable, BitwiseCopyable {
  /// What JACK's transport does.
  let transport: TransportMotion
  /// The transport's position at the first frame of the cycle.
  let frame: UInt32
  /// The number of frames in a cycle.
  let period: UInt32
  /// The server's sample rate.
  let rate: SampleRate
  /// When the first frame of the next cycle is heard.
  let nextOutput: HostTime<LinkClock>
  /// The time from a cycle's start to its first frame being heard.
  let outputLatency: HostInterval
  /// Link's beat at ``nextOutput``.
  var linkBeat: Beats

  @_noLocks
  init(_ observation: Observation) {
    transport = observation.jack.transport
    frame = observation.jack.frame
    period = observation.jack.period
    rate = observation.jack.rate
    nextOutput = observation.jack.nextOutput
    outputLatency = observation.jack.outputLatency
    linkBeat = observation.link.beat
  }

  /// Link's beat at `time`, which may be long after ``nextOutput``.
  @_noLocks
  func linkBeat(at time: HostTime<LinkClock>, tempo: Tempo) -> Beats {
    linkBeat + tempo.beats(in: time - nextOutput)
  }
}
