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
  /// Whether anything has been published since it began: else all is as it was.
  private(set) var hasPublished = false

  /// The music goes on from `place`, as far as that is known.
  @_noLocks
  init(from place: (frame: TransportFrame, position: BeatTime)?, tempo: Tempo) {
    self.tempo = tempo
    anchor = place
    shown = place
  }

  /// Takes note of a cycle, whether or not JACK will ask about the next one.
  @_noLocks
  mutating func observe(_ cycle: CycleSnapshot) {
    // JACK has asked about a locate before it shows, or is going to.
    if cycle.step.isLocated, cycle.frame != shown?.frame { anchor = nil }
    // Before the first answer the place is of before the render, also where JACK did not ask about a locate.
    if !hasPublished, cycle.transport.isRolling, let shown, !cycle.canHaveCome(from: shown.frame) {
      anchor = nil
    }
  }

  /// The position of the next cycle's first frame.
  @_noLocks
  mutating func advance(toFrame asked: TransportFrame, _ cycle: CycleSnapshot) -> BeatTime {
    // There are servers that ask with the frame of the cycle that is.
    let frame = asked == cycle.frame ? cycle.nextFrame : asked
    let goesOn = frame == (cycle.transport.isRolling ? cycle.nextFrame : shown?.frame)
    let here: (frame: TransportFrame, position: BeatTime) =
      if let anchor, goesOn { anchor } else { (frame, nominal(frame, cycle.rate, tempo)) }
    let position = here.position + tempo.beats(in: frame - here.frame, at: cycle.rate)
    anchor = here
    shown = (frame, position)
    hasPublished = true
    return position
  }

  /// The position for this cycle: where the transport rolls on, cycles in which JACK has skipped the bridge
  /// have passed.
  @_noLocks
  func place(in jack: JACKObservation) -> (frame: TransportFrame, position: BeatTime)? {
    guard let shown, jack.step.rollsOn(jack.transport) else { return shown }
    return (jack.frame, shown.position + tempo.beats(in: jack.frame - shown.frame, at: jack.rate))
  }
}
