import MusicalTime

/// Where the music is while JACK renders, when nothing is heard and frames are all that counts.
///
/// Frames and position go together, from the place where the music was when it was last heard; wherever
/// somebody locates, as where frames and tempo put it: frame 0 is bar 1, also of an export.
struct Rendering: Sendable {
  /// The tempo, which stays what it was.
  let tempo: Tempo
  /// A place from which all others follow.
  private var anchor: (frame: UInt32, position: Beats)?
  /// What was last published, or read before that.
  private(set) var shown: (frame: UInt32, position: Beats)?
  /// How far the transport's frames are from the server's, as long as it rolls on.
  private(set) var course: UInt32?
  /// Whether anything has been published since it began: else all is as it was.
  private(set) var hasPublished = false

  /// The music goes on from `place`, as far as that is known, on its `course` if it rolls.
  @_noLocks
  init(from place: (frame: UInt32, position: Beats)?, course: UInt32?, tempo: Tempo) {
    self.tempo = tempo
    self.course = course
    anchor = place
    shown = place
  }

  /// The position of the next cycle's first frame.
  @_noLocks
  mutating func advance(toFrame asked: UInt32, _ cycle: CycleSnapshot) -> Beats {
    // There are servers that ask with the frame of the cycle that is.
    let isCurrent = cycle.transport.isRolling && asked == cycle.frame
    let frame = isCurrent ? asked &+ cycle.period : asked
    let course = frame &- cycle.serverFrame &- cycle.period
    let here: (frame: UInt32, position: Beats) =
      if let anchor, goesOn(to: frame, course, cycle) { anchor } else {
        (frame, nominal(frame, cycle.rate, tempo))
      }
    // JACK counts frames in 32 bits, and begins again.
    let way = FrameCount(Int64(Int32(bitPattern: frame &- here.frame)))
    let position = here.position + tempo.beats(in: way, at: cycle.rate)
    anchor = here
    shown = (frame, position)
    hasPublished = true
    self.course = cycle.transport.isRolling ? course : nil
    return position
  }

  /// What is to be read in this cycle: where it rolls on, cycles that we were not let run in have passed.
  @_noLocks
  func place(in jack: JACKObservation) -> (frame: UInt32, position: Beats)? {
    guard let shown, let course, jack.transport.isRolling,
      isTorn(jack.frame &- jack.serverFrame, from: course, period: jack.period)
    else { return shown }
    let way = FrameCount(Int64(Int32(bitPattern: jack.frame &- shown.frame)))
    return (jack.frame, shown.position + tempo.beats(in: way, at: jack.rate))
  }

  /// Whether nobody has located since.
  @_noLocks
  private func goesOn(to frame: UInt32, _ course: UInt32, _ cycle: CycleSnapshot) -> Bool {
    guard let shown else { return false }
    guard cycle.transport.isRolling else { return frame == shown.frame }
    guard frame == cycle.frame &+ cycle.period else { return false }
    // Frames and position go together, also from there.
    if let before = self.course { return isTorn(course, from: before, period: cycle.period) }
    // It has just begun, at once or, on some servers, a period further.
    return cycle.frame &- shown.frame <= cycle.period
  }
}
