import MusicalTime

/// The part of an ``Observation`` that locates the music: all that is remembered until JACK asks about the
/// next cycle.
struct CycleSnapshot: Sendable, BitwiseCopyable {
  /// JACK's transport state.
  let transport: TransportState
  /// The transport's position at the first frame of the cycle.
  let frame: TransportFrame
  /// The number of frames in a cycle.
  let period: UInt32
  /// The step of the transport since the cycle before.
  let step: TransportStep
  /// The server's sample rate.
  let rate: SampleRate
  /// When the first frame of the next cycle is heard.
  let nextOutput: HostTime<LinkClock>
  /// The time from a cycle's start to its first frame being heard.
  let outputLatency: HostInterval
  /// Link's beat at ``nextOutput``.
  var linkBeat: BeatTime

  @inline(__always) @_noLocks
  init(_ observation: Observation) {
    transport = observation.jack.transport
    frame = observation.jack.frame
    period = observation.jack.period
    rate = observation.jack.rate
    step = observation.jack.step
    nextOutput = observation.jack.nextOutput
    outputLatency = observation.jack.outputLatency
    linkBeat = observation.link.beat
  }

  /// Where the next cycle begins, if no client relocates and none is missed.
  var nextFrame: TransportFrame {
    @inline(__always) @_noLocks get { transport.isRolling ? frame + period : frame }
  }

  /// Whether a roll that began at `start` since the last cycle may have come to where it is now.
  @inline(__always) @_noLocks
  func canHaveCome(from start: TransportFrame) -> Bool {
    step.canHaveCome(from: start, to: frame, period: period)
  }

  /// How far the position by frames and tempo at the next cycle is ahead of Link.
  @inline(__always) @_noLocks
  func frameError(at tempo: Tempo, in quantum: Quantum) -> HostInterval {
    let beat = nominal(frame + period, rate, tempo)
    return tempo.interval(of: beat.phase(in: quantum).distance(from: linkBeat.phase(in: quantum)))
  }

  /// Link's beat at `time`, which may be long after ``nextOutput``.
  @inline(__always) @_noLocks
  func linkBeat(at time: HostTime<LinkClock>, tempo: Tempo) -> BeatTime {
    // Nearly always asked for that very time.
    time == nextOutput ? linkBeat : linkBeat + tempo.beats(in: time - nextOutput)
  }
}
