import MusicalTime

/// Where the music is while JACK freewheels, when nothing is heard and frames are all that counts.
///
/// Frames and position go together, from the place where the music was when it was last heard; after a
/// client's locate, from where frames and tempo put it: frame 0 is bar 1, also in an export.
struct Rendering: Sendable {
  /// The tempo, which stays the same.
  let tempo: Tempo
  /// A place from which all others follow.
  private var anchor: (frame: TransportFrame, position: BeatTime)?
  /// The position that was last published, or read before that.
  private(set) var shown: (frame: TransportFrame, position: BeatTime)?
  /// How far the transport's frames are from the server's, as long as it rolls on.
  private(set) var course: Course?
  /// Whether anything has been published since it began: else all is as it was.
  private(set) var hasPublished = false

  /// The music goes on from `place`, as far as that is known, on its `course` if it rolls.
  @_noLocks
  init(from place: (frame: TransportFrame, position: BeatTime)?, course: Course?, tempo: Tempo) {
    self.tempo = tempo
    self.course = course
    anchor = place
    shown = place
  }

  /// The position of the next cycle's first frame.
  @_noLocks
  mutating func advance(toFrame asked: TransportFrame, _ cycle: CycleSnapshot) -> BeatTime {
    // There are servers that ask with the frame of the cycle that is.
    let isCurrent = cycle.transport.isRolling && asked == cycle.frame
    let frame = isCurrent ? asked + cycle.period : asked
    let course = Course(of: frame, at: cycle.serverFrame + cycle.period)
    let here: (frame: TransportFrame, position: BeatTime) =
      if let anchor, goesOn(to: frame, cycle) { anchor } else {
        (frame, nominal(frame, cycle.rate, tempo))
      }
    let position = here.position + tempo.beats(in: frame - here.frame, at: cycle.rate)
    anchor = here
    shown = (frame, position)
    hasPublished = true
    self.course = cycle.transport.isRolling ? course : nil
    return position
  }

  /// The position for this cycle: where the transport rolls on, cycles in which JACK has skipped the bridge
  /// have passed.
  @_noLocks
  func place(in jack: JACKObservation) -> (frame: TransportFrame, position: BeatTime)? {
    guard let shown, let course, jack.transport.isRolling,
      isTorn(jack.frame, from: course.frame(at: jack.serverFrame), period: jack.period)
    else { return shown }
    return (jack.frame, shown.position + tempo.beats(in: jack.frame - shown.frame, at: jack.rate))
  }

  /// Whether no client has located since.
  @_noLocks
  private func goesOn(to frame: TransportFrame, _ cycle: CycleSnapshot) -> Bool {
    guard let shown else { return false }
    guard cycle.transport.isRolling else { return frame == shown.frame }
    guard frame == cycle.frame + cycle.period else { return false }
    // Frames and position go together, also from there.
    if let course {
      let expected = course.frame(at: cycle.serverFrame + cycle.period)
      return isTorn(frame, from: expected, period: cycle.period)
    }
    // It has just begun, at once or, on some servers, a period further.
    return cycle.frame.frames(since: shown.frame) <= cycle.period
  }
}
