import MusicalTime

/// A start under way: from when JACK holds it for us to when it rolls.
struct HeldStart: Sendable {
  /// What was wanted.
  var startRequest: Transport.StartRequest
  /// Where the playhead was put by whoever started or relocated.
  var place: Place
  var launch: Launch
  var plan: LaunchPlan
  /// The tempo the plan holds for.
  var tempo: Tempo
  /// What JACK shows as long as nobody relocates.
  var shownFrame: UInt32
  /// The frame we have put the playhead to, the one from which it is to roll; `nil` until it is time for
  /// that.
  var placed: UInt32?
  /// The last frame we have asked for, wanted still or not.
  private(set) var requested: UInt32?
  /// The one before, which may still show.
  private var requestedBefore: UInt32?
  /// Cycles since then; JACK shows it two later.
  var age = 0
  /// Cycles that the start has been held for. A relocation shows one cycle later than the start that it
  /// caused.
  var heldFor = 0
  /// When clients were last asked to be ready.
  var asked: HostTime<LinkClock>
  /// When to launch although JACK's clock is not steady.
  var steadyBy: HostTime<LinkClock>
  /// How often it may still be planned anew because something came in between.
  var attempts = 8
  /// How often the owner of the timebase has read something else than expected where the playhead was put.
  var contradictions = 0
  /// Whether it mends a start that was spoilt.
  var isCorrection = false
  /// How a transport goes on that was relocated while it rolled.
  var goesOn = GoesOn.no

  /// How a transport goes on that was relocated while it rolled.
  enum GoesOn: Sendable {
    /// It waits, as a start does.
    case no
    /// As soon as it can, with the playhead moved by what has passed.
    case shifted
    /// From where it is, whatever its phase.
    case freely
  }

  @_noLocks
  init(
    _ startRequest: Transport.StartRequest, from place: Place, _ launch: Launch, _ plan: LaunchPlan,
    _ now: LaunchContext,
    steadyBy: HostTime<LinkClock>
  ) {
    self.startRequest = startRequest
    self.place = place
    self.launch = launch
    self.plan = plan
    self.steadyBy = steadyBy
    tempo = now.tempo
    shownFrame = now.observation.jack.frame
    asked = now.next
  }

  /// One that is to mend what is rolling: JACK has been asked to go there.
  @_noLocks
  init(correction place: Place, _ plan: LaunchPlan, _ now: LaunchContext) {
    self.init(Transport.StartRequest(notBefore: plan.time), from: place, .now, plan, now, steadyBy: now.next)
    isCorrection = true
    request(plan.frame, now)
  }

  /// JACK is asked to go where the roll is to begin.
  @_noLocks
  mutating func request(_ frame: UInt32, _ now: LaunchContext) {
    settle(on: frame, age: 0)
    asked = now.next
  }

  /// How long the start has been held for, as the server counts: in cycles.
  @_noLocks
  func held(_ now: LaunchContext) -> HostInterval { now.period * Int64(heldFor) }

  /// Whether a frame is where a launch from the place would be aligned to.
  @_noLocks
  func isNear(_ frame: UInt32, _ now: LaunchContext) -> Bool {
    let way = Int64(frame) &- Int64(place.frame)
    // Frame 0 is where people go, and where nobody puts a start that is to be aligned.
    guard !isCorrection, !plan.isWhole, frame != 0 else { return false }
    return way.magnitude < UInt64(now.observation.jack.period) && way != 0
  }

  /// Takes what another has aligned for our own.
  @_noLocks
  mutating func accept(_ frame: UInt32) {
    // It shows already, and JACK has asked for it.
    settle(on: frame, age: 2)
    attempts &-= 1
  }

  @_noLocks
  private mutating func settle(on frame: UInt32, age: Int) {
    placed = frame
    requestedBefore = requested
    requested = frame
    self.age = age
  }

  /// Whether JACK is going to ask once more because of a relocation of ours: in the second cycle after it.
  var isUnknown: Bool { @_noLocks get { requested != nil && age < 2 } }

  /// What is to be undone if it never rolls: a playhead that was moved is put back to where it was, unless
  /// JACK has the say by now.
  @_noLocks
  func undoing(_ now: LaunchContext) -> PutBack? {
    guard !isCorrection, now.canAlign, requested != nil || shownFrame != place.frame else { return nil }
    return PutBack(frame: place.frame, shown: (shownFrame, requested, requestedBefore))
  }

  /// Whether a relocation of ours may not show yet.
  var isUnderWay: Bool { @_noLocks get { requested != nil && age <= 3 } }

  /// Whether what is to be mended rolls on: until the relocation shows, and it may come to the same frame.
  @_noLocks
  func isStillRolling(at frame: UInt32) -> Bool { isCorrection && (age == 0 || frame != plan.frame) }

  /// Whether what is read is of the frame that JACK shows. An owner is asked about a relocation only when
  /// that shows: until then it speaks of another frame.
  @_noLocks
  func isRead(_ now: LaunchContext) -> Bool {
    switch now.source {
    case .owner: !isUnderWay
    case .playhead, .none: true
    }
  }

  /// Whether JACK, which holds the start, shows what it can only show when somebody has relocated.
  @_noLocks
  func isRelocated(at frame: UInt32) -> Bool {
    frame != shownFrame && frame != requested && frame != requestedBefore
  }
}
