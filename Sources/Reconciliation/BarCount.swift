import MusicalTime

/// How the bridge counts bars: in a meter, from a beat with which a bar begins.
///
/// At first that is bar 1 at the beginning of the song. A meter that a user chooses while JACK rolls holds from the
/// next bar line on: what came before keeps its bars, and the count goes on from there. A position less than two quanta
/// before that bar line is counted back from it; one further back from the beginning of the song, as if the new
/// meter had always held, and so is the beginning itself, which is bar 1 beat 1.
public struct BarCount: Sendable, BitwiseCopyable, Hashable {
  /// The meter in which bars are counted.
  public private(set) var meter: Meter
  /// A beat with which a bar begins.
  public private(set) var origin = BeatTime.zero
  /// The number of bars before ``origin``.
  private var number: Int64 = 0
  /// The position that was last reached.
  private var last = BeatTime.zero
  /// Whether the last position was the first one of a bar.
  private(set) var hasTurned = false
  /// Whether bars are to begin where the quantum does, from the next position on that has Link's phase.
  private var isLoose = false

  /// Bars of that meter from the beginning of the song on.
  @_noLocks
  public init(_ meter: Meter) { self.meter = meter }

  /// Bar, beat and tick of a position. Realtime-safe.
  @_noLocks
  public func place(of position: BeatTime, _ ticksPerBeat: TicksPerBeat) -> BarBeatTick {
    BarBeatTick(
      nearest: BeatTime(sinceZero: position - origin), meter: meter, ticksPerBeat: ticksPerBeat,
      barsBefore: number)
  }

  /// The position that JACK clients read as `reading`, in Link's beats; `nil` where its fields make no sense.
  /// Thread-safe.
  public func position(of reading: TimebaseReading) -> BeatTime? {
    guard reading.ticksPerBeat > 0 else { return nil }
    let bars = Double(reading.bar) - 1 - Double(number)
    let beats = bars * Double(meter.beatsPerBar) + Double(reading.beat) - 1
    return BeatTime((beats + Double(reading.tick) / reading.ticksPerBeat) * meter.beatLength.doubleValue)
      .map { $0 + origin.sinceZero }
  }

  /// Takes the position that JACK clients are going to read. Where that begins a bar as JACK rolls, the meter that
  /// the user wants holds from there on. Returns its bar, beat and tick. Realtime-safe.
  ///
  /// A position that waits for Link's beat does not have its phase yet: until it does, bars stay where they are.
  @_noLocks
  mutating func reach(
    _ position: BeatTime, _ configuration: Reconciler.Configuration, isRolling: Bool, isWaiting: Bool
  ) -> BarBeatTick {
    let tick = tick(configuration)
    if position.sinceZero < tick {
      if origin.sinceZero != .zero || number != 0 { self = BarCount(meter) }
    } else if origin - position > tick {
      countBack(to: position, configuration.quantum)
    }
    let before = number &+ bar(at: last)
    if isLoose, !isWaiting { settle(at: position) }
    // A bar begins where clients read that, although the position may be half a tick before it.
    let place = place(of: position, configuration.ticksPerBeat)
    let bar = Int64(configuration.legible(place).bar) &- 1
    let line = origin + Beats(nanobeats: (bar &- number) &* meter.barLength.nanobeats)
    hasTurned = isRolling && bar > before
    // A position that waits just before a line has not come to it.
    last = isRolling ? max(position, line) : position
    guard hasTurned, !(configuration.choices.meter == meter) else { return place }
    origin = line
    number = bar
    meter = configuration.choices.meter
    return self.place(of: position, configuration.ticksPerBeat)
  }

  /// The length of a tick as clients read it: a position that is less than half of one before a bar line is read as one
  /// on the line.
  @_noLocks
  private func tick(_ configuration: Reconciler.Configuration) -> Beats {
    let count = configuration.ticksPerBeat.count
    let legible = min(count, configuration.rules.wholeTicks?.count ?? count)
    return Beats(nanobeats: meter.beatLength.nanobeats / Int64(legible))
  }

  /// Counts bars back from ``origin`` to a position before it: by less than two quanta, as the bridge itself may
  /// put the playhead back by for a start. Further back a client has located, and counts the whole song anew.
  @_noLocks
  private mutating func countBack(to position: BeatTime, _ quantum: Quantum) {
    let (distance, length) = ((origin - position).nanobeats, meter.barLength.nanobeats)
    let bars = (distance &+ length &- 1) / length
    guard distance < 2 &* quantum.beats.nanobeats, bars <= number else { return self = BarCount(meter) }
    origin = BeatTime(sinceZero: Beats(nanobeats: origin.sinceZero.nanobeats &- bars &* length))
    number &-= bars
  }

  /// Has bars begin where the quantum does, which is another from the next position on that has Link's phase.
  /// Realtime-safe.
  @_noLocks
  mutating func loosen() { isLoose = true }

  /// The number of whole bars between ``origin`` and a position.
  @_noLocks
  private func bar(at position: BeatTime) -> Int64 {
    let (since, length) = ((position - origin).nanobeats, meter.barLength.nanobeats)
    return since < 0 ? 0 : since / length
  }

  /// Counts bars from the beginning of the song, and goes on with the number of the bar: with the next one where
  /// beat and tick would go back.
  @_noLocks
  private mutating func settle(at position: BeatTime) {
    isLoose = false
    let length = meter.barLength.nanobeats
    guard origin.sinceZero.nanobeats % length != 0 else { return }
    let before = (last - origin).nanobeats
    let now = position.sinceZero.nanobeats
    let bar = number &+ self.bar(at: last) &+ (now % length < before % length ? 1 : 0)
    origin = BeatTime(sinceZero: Beats(nanobeats: now &- now % length))
    number = bar
    last = position
  }
}
