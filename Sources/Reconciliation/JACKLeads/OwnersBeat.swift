import MusicalTime

/// The beat of a timebase owner as something that goes on: frames that go on mean beats that go on.
///
/// A position counts beats as if all bars before it were like its own. Where an owner changes its meter in
/// the middle of a song that count leaps, and the music does not. So the beats are counted on across the
/// change, and only the place where bars begin is moved, by whole beats. An offset of less than a beat is the
/// owner's own locate.
///
/// After a locate the count is that of the part of the song that the position is in, if that was heard before. Where
/// bars or beats do not go on although the frames do, another song has begun, perhaps another owner's: JACK does not
/// report that. Then all that was heard is forgotten. Where the song is another from some bar on than it was when it
/// was heard before, because its user has changed it, what was heard from there on is.
struct OwnersBeat: Sendable {
  /// A part of the song with one meter: its first bar, counted from 0, and how far the beats are ahead of those of a
  /// song in which all bars are like these.
  private typealias Part = (firstBar: Int64, meter: Meter, offset: Beats)
  /// A position that was read.
  private typealias Seen = (beat: BeatTime, bar: Int64, beatsPerMinute: Double, frame: TransportFrame)

  /// The beats that have passed since a position was read, and how far the one that is read now is behind them, in
  /// nanobeats.
  private typealias Way = (passed: Int64, leap: Int64)

  /// For how many cycles after a locate the position may be that of the frame before it.
  private static var seam: UInt32 { @_noLocks get { 3 } }
  /// For how many seconds without a cycle beats can be counted on.
  private static var longestGap: Double { @_noLocks get { 10 } }

  /// The parts that were heard; where there is none, one before all bars.
  private var parts = InlineArray<16, Part>(repeating: (-1, .common, .zero))
  private var next = 0
  private var meter = Meter.common
  private var offset = Beats.zero
  private var last: Seen?

  @_noLocks
  init() {}

  /// Takes the position of a cycle. Realtime-safe.
  ///
  /// - Parameters:
  ///   - found: The position, which counts as if all bars were like its own.
  ///   - jack: The cycle.
  ///   - cycles: For how many cycles before this one the transport has gone on, and had a position.
  /// - Returns: The position in beats that go on.
  @_noLocks
  mutating func goOn(_ found: OwnerPosition, _ jack: JACKObservation, for cycles: UInt32) -> OwnerPosition {
    if let last, jack.transport.isRolling, cycles > OwnersBeat.seam || hasRolledOn(since: last, jack) {
      let isSure = max(cycles, jack.step.cycles) > OwnersBeat.seam
      goOnRolling(found, since: last, jack, isSure: isSure)
    } else {
      choosePart(found)
    }
    meter = found.meter
    var position = found
    position.beat = found.beat + offset
    position.barsFrom = BeatTime.zero + offset
    last = (position.beat, bar(of: found), position.declaredBeatsPerMinute, jack.frame)
    return position
  }

  /// Positions of before have nothing to do with those from here on. Realtime-safe.
  @_noLocks
  mutating func interrupt() { last = nil }

  /// Whether the transport has rolled on since a position was read.
  @_noLocks
  private func hasRolledOn(since last: Seen, _ jack: JACKObservation) -> Bool {
    Int64(jack.frame.frames(since: last.frame)) <= Int64(jack.step.cycles) * Int64(jack.period)
  }

  /// The transport rolls on: so do the beats, in this meter or in another one; or it is another song, unless a
  /// position, of which it is not sure yet, is the one of the frame before a locate.
  @_noLocks
  private mutating func goOnRolling(
    _ found: OwnerPosition, since last: Seen, _ jack: JACKObservation, isSure: Bool
  ) {
    guard let way = way(to: found, since: last, jack) else { return choosePart(found) }
    if let step = step(to: found, since: last, by: way) { return begin(found, step) }
    guard isSure else { return choosePart(found) }
    guard found.meter == meter else { return forget() }
    let unit = meter.beatLength.nanobeats
    let isElsewhere = (way.leap &- offset.nanobeats).magnitude > UInt64(unit &+ max(way.passed, 0) / 2)
    if isElsewhere { return forget() }
    let bar = bar(of: found)
    if bar > last.bar { enter(bar, after: last.bar) }
  }

  /// How far a position goes on from the last one; `nil` where that is too long ago to count beats on.
  @_noLocks
  private func way(to found: OwnerPosition, since last: Seen, _ jack: JACKObservation) -> Way? {
    let seconds = HostInterval(jack.frame - last.frame, at: jack.rate).seconds
    guard seconds < OwnersBeat.longestGap else { return nil }
    // Within a cycle a tempo may have changed, too.
    let passed = Int64((last.beatsPerMinute + found.declaredBeatsPerMinute) / 120 * seconds * 1e9)
    return (passed, (last.beat + Beats(nanobeats: passed) - found.beat).nanobeats)
  }

  /// By how much the beats of a position in another meter are counted on from those of the meter before; `nil`
  /// unless the position goes on from the last one.
  @_noLocks
  private func step(to found: OwnerPosition, since last: Seen, by way: Way) -> Beats? {
    guard found.meter != meter else { return nil }
    let passed = way.passed
    let unit = min(meter.beatLength.nanobeats, found.meter.beatLength.nanobeats)
    let bars = bar(of: found) &- last.bar
    let most = 1 &+ passed / min(meter.barLength.nanobeats, found.meter.barLength.nanobeats)
    // The new meter begins with a bar, or in the bar and on the beat where it was declared.
    let place = found.beat.sinceZero.nanobeats % found.meter.barLength.nanobeats
    let before = bars == 0 ? (last.beat - offset).sinceZero.nanobeats % meter.barLength.nanobeats : 0
    // Ticks are whole, and an owner may play up to four times as fast as it declares.
    let slack = min(unit / 2, 3 &* max(passed, 0)) &+ found.tickLength.nanobeats
    let goesOn = place &- before <= passed &+ slack && place &- before >= -slack
    guard bars >= 0, bars <= most, goesOn else { return nil }
    // Bars are counted anew, by whole beats of the shorter ones: a half that bars of before have left stays.
    let behind = way.leap &- offset.nanobeats
    return Beats(nanobeats: (behind &+ (behind < 0 ? -unit / 2 : unit / 2)) / unit &* unit)
  }

  /// A part of the song begins, whose beats are counted on by `step` from those of the part before.
  @_noLocks
  private mutating func begin(_ found: OwnerPosition, _ step: Beats) {
    offset = offset + step
    remember((bar(of: found), found.meter, offset))
  }

  /// The song goes on in the same meter, through the first beat of a bar: there no other part can begin any more.
  @inline(never) @_noLocks
  private mutating func enter(_ bar: Int64, after last: Int64) {
    for index in 0..<parts.count where parts[index].firstBar > last && parts[index].firstBar <= bar {
      if parts[index].meter != meter || parts[index].offset != offset { return forget(after: last) }
    }
  }

  /// From the bar after this one on it is another song.
  @_noLocks
  private mutating func forget(after bar: Int64) {
    for index in 0..<parts.count where parts[index].firstBar > bar { parts[index].firstBar = -1 }
  }

  /// Another song has begun.
  @_noLocks
  private mutating func forget() {
    parts = InlineArray(repeating: (-1, .common, .zero))
    next = 0
    offset = .zero
  }

  /// Finds the count of beats in the part of the song that a position is in.
  @_noLocks
  private mutating func choosePart(_ found: OwnerPosition) {
    let bar = bar(of: found)
    var best: Part = (-1, found.meter, .zero)
    for index in 0..<parts.count {
      let part = parts[index]
      if part.firstBar > best.firstBar, part.firstBar <= bar { best = part }
    }
    offset = best.meter == found.meter ? best.offset : .zero
  }

  @_noLocks
  private mutating func remember(_ part: Part) {
    for index in 0..<parts.count {
      let known = parts[index]
      if known.firstBar == part.firstBar, known.meter == part.meter, known.offset == part.offset { return }
    }
    forget(after: part.firstBar &- 1)
    var index = 0
    while index < parts.count, parts[index].firstBar >= 0 { index &+= 1 }
    if index == parts.count {
      index = next
      next = next &+ 1 == parts.count ? 0 : next &+ 1
    }
    parts[index] = part
  }

  /// The number of a position's bar, from 0.
  @_noLocks
  private func bar(of found: OwnerPosition) -> Int64 {
    found.beat.sinceZero.nanobeats / found.meter.barLength.nanobeats
  }
}
