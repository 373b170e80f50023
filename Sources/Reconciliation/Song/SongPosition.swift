import MusicalTime

/// Where the song is at the first frame of each cycle, exactly: what JACK clients are shown there is rounded
/// to ticks.
///
/// While Link leads that is the position that the bridge has published for the cycle; while JACK does, the
/// owner's position without the rounding of its ticks; and where no client publishes one, Link's beat, with
/// the number of quanta that puts it nearest to where frames and tempo do.
public struct SongPosition: Sendable {
  /// The position of a timebase owner that leads, at a cycle's first frame.
  public struct Owner: Sendable, BitwiseCopyable {
    /// Where it is, in Link's beats.
    public var beat: BeatTime
    /// How fast it goes on.
    public var tempo: Tempo
    /// How it counts bars.
    public var meter: Meter
    /// A beat with which a bar begins.
    public var barsFrom: BeatTime

    /// A place.
    @_noLocks
    public init(beat: BeatTime, tempo: Tempo, meter: Meter, barsFrom: BeatTime = .zero) {
      self.beat = beat
      self.tempo = tempo
      self.meter = meter
      self.barsFrom = barsFrom
    }
  }

  /// The largest deviation of an owner from its expected position that is no locate: four of the usual ticks.
  private static var noise: Beats { @_noLocks get { Beats(nanobeats: 2_083_333) } }
  /// The part of that which is taken over in each cycle.
  private static var part: Int64 { @_noLocks get { 32 } }

  /// The entry last published, and the frame that it is for.
  private var published: (frame: TransportFrame, entry: TimebaseEntry)?
  /// The frame at which the next cycle begins, if the transport rolls.
  private var next: TransportFrame?
  private var current: TransportFrame = 0
  /// Where the owner was, and the server's count there.
  private var owners: (serverFrame: ServerFrame, beat: BeatTime)?
  /// How far the song is from Link's beat where no client publishes a position.
  private var apart: Beats?

  /// A song of which nothing is known.
  public init() {}

  /// Records the entry that JACK clients are going to be shown at `frame`, which is where the next cycle
  /// begins by JACK's count. Realtime-safe.
  @_noLocks
  public mutating func publish(_ entry: TimebaseEntry, forFrame frame: TransportFrame) {
    // There are servers that ask with the frame of the cycle that is.
    if let next, frame == current {
      published = (next, entry)
    } else {
      published = (frame, entry)
    }
  }

  /// The facts of the cycle for playing along with the song. Realtime-safe.
  ///
  /// - Parameters:
  ///   - observation: The cycle's observation.
  ///   - leader: The leading side.
  ///   - owner: The position of the timebase owner, if it leads.
  ///   - launch: The start that is waited for.
  ///   - quantum: The span over which the phase is shared.
  ///   - bars: How the bridge counts bars.
  /// - Returns: The cycle.
  @_noLocks
  public mutating func cycle(
    _ observation: Observation, leader: Leader, owner: Owner?, launch: PendingLaunch?, quantum: Quantum,
    bars: BarCount
  ) -> SongCycle {
    let jack = observation.jack
    let heard = jack.start + jack.outputLatency
    let link = observation.link.beat - observation.link.tempo.beats(in: jack.nextOutput - heard)
    var tempo = observation.link.tempo
    var meter = bars.meter
    var barsFrom = bars.origin
    var position = link
    var onGrid = link
    if jack.transport.isRolling {
      if case .jack = leader, let owner {
        tempo = owner.tempo
        meter = owner.meter
        barsFrom = owner.barsFrom
        position = smooth(owner, jack)
      } else if case .link = leader, let shown = shown(in: jack) {
        // A tempo that Link has just changed to is read from the next cycle on.
        tempo = shown.entry.tempo
        meter = shown.entry.bars.meter
        barsFrom = shown.entry.bars.origin
        position = shown.beat
      } else {
        position = unsaid(link, jack, tempo, quantum)
      }
      onGrid = position
      if case .link = leader { onGrid = gridPlace(of: position, link, jack, tempo, quantum) }
    } else {
      apart = nil
    }
    current = jack.frame
    next = jack.transport.isRolling ? jack.frame + jack.period : nil
    return SongCycle(
      transport: jack.transport, isLocated: jack.step.isLocated, serverFrame: jack.serverFrame,
      period: jack.period, rate: jack.rate, position: position, onGrid: onGrid, tempo: tempo, meter: meter,
      barsFrom: barsFrom, countIn: launch.map { count(to: $0, link, quantum, heard, jack.rate) },
      isFreewheeling: jack.isFreewheeling)
  }

  /// Where the song is by Link's beat itself: a start begins with a cycle, and the position of the first one
  /// may be half a period from Link's.
  @_noLocks
  private func gridPlace(
    of position: BeatTime, _ link: BeatTime, _ jack: JACKObservation, _ tempo: Tempo, _ quantum: Quantum
  ) -> BeatTime {
    let nearest = link.shifted(nearestTo: position, byMultiplesOf: quantum)
    let most = tempo.beats(in: FrameCount(Int64(jack.period)), at: jack.rate)
    return (nearest - position).magnitude <= most ? nearest : position
  }

  /// How far a start is that waits.
  @_noLocks
  private func count(
    to launch: PendingLaunch, _ link: BeatTime, _ quantum: Quantum, _ heard: HostTime<LinkClock>,
    _ rate: SampleRate
  ) -> CountIn {
    CountIn(
      position: link + (launch.beginning - launch.linkBeat), from: launch.beginning - quantum.beats,
      to: launch.beginning, left: FrameCount(nearest: launch.rollTime - heard, at: rate))
  }

  /// The position that was published for the cycle, also if cycles were missed since.
  @_noLocks
  private func shown(in jack: JACKObservation) -> (beat: BeatTime, entry: TimebaseEntry)? {
    guard let published, !jack.step.isLocated || jack.frame == published.frame else { return nil }
    let way = jack.frame - published.frame
    let entry = published.entry
    return (entry.exact + entry.tempo.beats(in: way, at: jack.rate), entry)
  }

  /// Where the owner is, as its beats go on and not as it rounds them.
  @_noLocks
  private mutating func smooth(_ owner: Owner, _ jack: JACKObservation) -> BeatTime {
    var position = owner.beat
    if let owners {
      let frames = FrameCount(Int64(jack.serverFrame.frames(since: owners.serverFrame)))
      let expected = owners.beat + owner.tempo.beats(in: frames, at: jack.rate)
      let error = owner.beat - expected
      if error.magnitude <= SongPosition.noise {
        position = expected + Beats(nanobeats: error.nanobeats / SongPosition.part)
      }
    }
    owners = (jack.serverFrame, position)
    return position
  }

  /// Where frames and tempo put the song, with Link's phase, and from there on with Link.
  @_noLocks
  private mutating func unsaid(
    _ link: BeatTime, _ jack: JACKObservation, _ tempo: Tempo, _ quantum: Quantum
  ) -> BeatTime {
    if let apart, !jack.step.isLocated { return link + apart }
    let position = link.shifted(nearestTo: nominal(jack.frame, jack.rate, tempo), byMultiplesOf: quantum)
    apart = position - link
    return position
  }
}
