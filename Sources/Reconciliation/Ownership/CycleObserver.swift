import MusicalTime

/// JACK's side of a cycle: its beginning and that of the next one, on Link's clock, and the timebase owner.
///
/// The program's cycle and a simulated one hand it the same readings and have the same ``JACKObservation``
/// from it.
public struct CycleObserver: Sendable {
  /// How often the clocks are compared: they drift apart by nanoseconds in that time.
  private static var pairing: HostInterval { @_noLocks get { .milliseconds(50) } }

  /// How many frames the server plays in a second.
  public private(set) var rate: SampleRate
  private var clock: CycleClock
  private var map = ClockMap()
  private var timebase = TimebaseWatch()
  private var transport = TransportWatch()
  private var slew = DelaySlew()
  private var lastPairing: HostTime<JACKClock>?
  private var report: CycleClock.Report?
  private var times: CycleClock.Times?
  private var isFreewheeling = false
  /// When the cycle begins and the next one, on Link's clock; `nil` as long as the clocks were not compared.
  ///
  /// Stored rather than computed on demand: a computed property would first copy all of the observer.
  public private(set) var span: (start: HostTime<LinkClock>, next: HostTime<LinkClock>)?

  /// An observer that has seen nothing.
  public init(rate: SampleRate) {
    self.rate = rate
    clock = CycleClock(rate: rate)
  }

  /// Goes by another rate from this cycle on, before anything else of it. Realtime-safe.
  @_noLocks
  public mutating func begin(at rate: SampleRate) {
    self.rate = rate
    clock.begin(at: rate)
  }

  /// Takes a cycle, before anything else of it. Realtime-safe.
  ///
  /// - Returns: Whether the clocks are to be compared now, by ``pair(before:link:after:)``.
  @inline(__always) @_noLocks
  public mutating func wake(_ report: CycleClock.Report, isFreewheeling: Bool) -> Bool {
    self.report = report
    self.isFreewheeling = isFreewheeling
    times = isFreewheeling ? clock.freewheel(report) : clock.observe(report)
    mapTimes()
    // Also when the clock was set back.
    if let lastPairing, (report.wakeUp - lastPairing).magnitude < CycleObserver.pairing { return false }
    lastPairing = report.wakeUp
    return true
  }

  /// Takes a reading of both clocks, Link's between two of JACK's. Realtime-safe.
  @_noLocks
  public mutating func pair(
    before: HostTime<JACKClock>, link: HostTime<LinkClock>, after: HostTime<JACKClock>
  ) {
    map.observe(before: before, link: link, after: after)
    mapTimes()
  }

  @inline(__always) @_noLocks
  private mutating func mapTimes() {
    guard let times, let start = map.link(at: times.start), let next = map.link(at: times.next) else {
      return span = nil
    }
    span = (start, next)
  }

  /// Whether the clients' position has to be read: not while the bridge surely owns the timebase.
  /// Realtime-safe.
  @inline(__always) @_noLocks
  public mutating func needsReading(told: TimebaseOwner, while motion: TransportState) -> Bool {
    !timebase.isSure(told: told, while: motion)
  }

  /// How long after its start this cycle's first frame counts as heard, while the delay approaches the wanted
  /// one. To be called once in a cycle. Realtime-safe.
  @inline(__always) @_noLocks
  public mutating func delay(_ wanted: OutputDelay, while motion: TransportState) -> CycleDelay {
    let frames = FrameCount(Int64(report?.period ?? 0))
    return slew.advance(
      to: wanted, over: HostInterval(frames, at: rate), isPlaying: motion.isRolling && !isFreewheeling)
  }

  /// The cycle, as JACK shows it. To be called once in a cycle. Realtime-safe.
  ///
  /// - Parameters:
  ///   - span: The value of ``span``.
  ///   - motion: The transport state.
  ///   - frame: The transport's frame.
  ///   - delay: The time from a cycle's start to its first frame being heard.
  ///   - told: The timebase owner as far as JACK reports it.
  ///   - reading: The position that JACK clients read, if it ``needsReading(told:while:)``.
  ///   - isSyncCallback: Whether JACK asks if the transport may roll.
  /// - Returns: JACK's side of an ``Observation``.
  @inline(__always) @_noLocks
  public mutating func observation(
    _ span: (start: HostTime<LinkClock>, next: HostTime<LinkClock>), _ motion: TransportState,
    frame: TransportFrame, delay: CycleDelay, told: TimebaseOwner, reading: TimebaseReading?,
    isSyncCallback: Bool
  ) -> JACKObservation {
    var (owner, isLeftBehind) = (TimebaseOwner.me, false)
    if let reading {
      owner = timebase.owner(told: told, shown: reading, while: motion)
      isLeftBehind = timebase.isLeftBehind(reading)
    }
    let (period, counted) = (report?.period ?? 0, report?.frame ?? 0)
    return JACKObservation(
      transport: motion, frame: frame,
      step: transport.observe(motion, at: frame, counted: counted, period: period), period: period,
      rate: rate, serverFrame: counted, start: span.start, nextOutput: span.next + delay.now,
      delay: delay,
      timebase: TimebaseObservation(
        owner: owner, position: owner == .other && !timebase.isInDoubt(at: span.start) ? reading : nil,
        isLeftBehind: isLeftBehind),
      isSyncCallback: isSyncCallback, isFreewheeling: isFreewheeling)
  }

  /// Takes note of the cycle's end. Realtime-safe.
  ///
  /// - Parameters:
  ///   - motion: The transport state.
  ///   - grant: See ``TimebaseWatch/passed(_:granted:)``.
  @inline(__always) @_noLocks
  public mutating func passed(_ motion: TransportState, granted grant: TimebaseGrant?) {
    timebase.passed(motion, granted: grant)
  }

  /// JACK asks the bridge for a position. Realtime-safe.
  @_noLocks
  public mutating func asked() { timebase.asked() }

  /// Records the bridge's entry for the next cycle. Realtime-safe.
  @_noLocks
  public mutating func published(_ position: BarBeatTick, beatsPerMinute: Double) {
    timebase.published(position, beatsPerMinute: beatsPerMinute)
  }

  /// JACK's requests to the bridge as the timebase owner. Realtime-safe.
  public var tally: TimebaseTally { @_noLocks get { timebase.tally } }

  /// The relation between JACK's clock and Link's; `nil` as long as they were not compared. Realtime-safe.
  public var clocks: ClockReading? { @_noLocks get { map.reading } }

  /// Whether JACK's own times are right at present, as far as the wake-ups show. Realtime-safe.
  public var trustsServer: Bool { @_noLocks get { clock.trustsServer } }
}
