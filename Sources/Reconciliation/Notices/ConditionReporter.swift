import MusicalTime

/// Reports each condition once while it holds, on the control side.
///
/// A leader, and that JACK freewheels, is reported at once, and while it freewheels nothing else. Any other condition
/// has to hold for a second: many end by themselves sooner. One whose numbers change is another condition. One that
/// ends and comes back is reported again, but not within three seconds of its last report.
///
/// A start that waits is reported at once, and again where it moves by a tenth of a second or more; but twice a
/// second at most, whether a user turns a tempo knob or a program starts again and again.
public struct ConditionReporter: Sendable {
  /// How long a condition has to hold, and the interval between two reports of one that comes and goes.
  private static let delay = HostInterval.seconds(1)
  private static let repetition = HostInterval.seconds(3)
  /// By how much a start may roll earlier or later than reported, and the interval between two reports of it.
  private static let tolerance = HostInterval.milliseconds(100)
  private static let startRepetition = HostInterval.milliseconds(500)

  /// One kind of condition.
  private struct Slot: Sendable {
    var held: (notice: Notice, since: HostTime<LinkClock>)?
    var told: (notice: Notice, time: HostTime<LinkClock>)?

    /// Takes what holds now, and returns it if it is to be reported.
    mutating func look(_ notice: Notice?, at now: HostTime<LinkClock>) -> Notice? {
      guard let notice else {
        held = nil
        return nil
      }
      guard let held, held.notice.isLike(notice) else {
        self.held = (notice, now)
        return nil
      }
      guard now - held.since >= ConditionReporter.delay else { return nil }
      if let told, told.notice.isLike(notice) {
        guard told.time < held.since, now - told.time >= ConditionReporter.repetition else { return nil }
      }
      self.held?.notice = notice
      told = (notice, now)
      return notice
    }
  }

  private var owner = Slot()
  private var tempo = Slot()
  private var declaration = Slot()
  private var client = Slot()
  private var lost = Slot()
  private var lead = Slot()
  private var shift = Slot()
  /// The start that was last reported, until it waits no more, and when that was.
  private var start: (roll: HostTime<LinkClock>?, time: HostTime<LinkClock>)?
  private var restored: HostTime<LinkClock>?
  /// The leader that was last reported, and whether JACK freewheels: Link leads as a bridge begins.
  private var leader = GridNotice.linkLeads
  private var isRendering = false

  /// A reporter that has reported nothing.
  public init() {}

  /// Takes what holds at present, and returns the next line about it: call it until there is none.
  public mutating func due(_ conditions: Conditions, at now: HostTime<LinkClock>) -> Notice? {
    if let leader = look(conditions.leader, while: conditions.isRendering) { return leader }
    // Conditions of before are not looked at meanwhile.
    guard !conditions.isRendering else { return nil }
    if let start = look(conditions.start, at: now) { return start }
    return owner.look(conditions.owner.map(Notice.grid), at: now)
      ?? tempo.look(conditions.tempo.map(Notice.grid), at: now)
      ?? declaration.look(conditions.declaration.map(Notice.grid), at: now)
      ?? client.look(conditions.client.map(Notice.transport), at: now)
      ?? lost.look(conditions.lost.map(Notice.transport), at: now)
      ?? lead.look(conditions.lead.map(Notice.transport), at: now)
      ?? look(shift: conditions.shift, at: now)
  }

  private mutating func look(_ leader: GridNotice?, while isRendering: Bool) -> Notice? {
    guard isRendering == self.isRendering else {
      self.isRendering = isRendering
      return .grid(isRendering ? .rendering : .renderingEnded)
    }
    guard let leader, leader != self.leader else { return nil }
    self.leader = leader
    return .grid(leader)
  }

  private mutating func look(_ waiting: Conditions.Start?, at now: HostTime<LinkClock>) -> Notice? {
    guard let waiting else {
      start?.roll = nil
      return nil
    }
    if let start {
      var isMissed = false
      if case .launchMissed = waiting.notice { isMissed = true }
      guard isMissed || now - start.time >= ConditionReporter.startRepetition else { return nil }
      if let roll = start.roll {
        let isMoved = (waiting.roll - roll).magnitude > ConditionReporter.tolerance
        guard isMoved, waiting.roll - now >= ConditionReporter.tolerance else { return nil }
      }
    }
    start = (waiting.roll, now)
    return .transport(waiting.notice)
  }

  /// That frames are in phase again is reported only where they were not.
  private mutating func look(shift interval: HostInterval?, at now: HostTime<LinkClock>) -> Notice? {
    guard let interval else {
      shift = Slot()
      return nil
    }
    let isOff = shift.told != nil || interval.magnitude > .audible
    return shift.look(isOff ? .transport(.framesShifted(by: interval)) : nil, at: now)
  }

  /// Whether a tempo that a cycle has restored becomes a line: one that is restored again and again does not each
  /// time.
  public mutating func passes(_ notice: GridNotice, at now: HostTime<LinkClock>) -> Bool {
    guard case .imposed = notice else { return true }
    if let restored, now - restored < ConditionReporter.repetition { return false }
    restored = now
    return true
  }
}

extension Notice {
  /// Whether it reports the same: for many, numbers that are nearly the same.
  fileprivate func isLike(_ other: Notice) -> Bool {
    switch (self, other) {
    case (.grid(.fault), .grid(.fault)), (.grid(.declaresAnotherTempo), .grid(.declaresAnotherTempo)),
      (.transport(.framesFellBehind), .transport(.framesFellBehind)),
      (.transport(.clientNotReady), .transport(.clientNotReady)):
      true
    case (.transport(.framesShifted(let off)), .transport(.framesShifted(let other))):
      (off - other).magnitude <= .audible
    case (.grid(.differentTempos(let jack, let link)), .grid(.differentTempos(let otherJACK, let otherLink))):
      jack.isTempo(near: otherJACK, within: 1e-2)
        && link.beatsPerMinute.isTempo(near: otherLink.beatsPerMinute, within: 1e-2)
    case (.grid(.tempoWaits(let jack, let link)), .grid(.tempoWaits(let otherJACK, let otherLink))):
      jack.isTempo(near: otherJACK) && link.beatsPerMinute.isTempo(near: otherLink.beatsPerMinute)
    case (.grid(.folded(let folded)), .grid(.folded(let other))): folded.doublings == other.doublings
    default: self == other
    }
  }
}
