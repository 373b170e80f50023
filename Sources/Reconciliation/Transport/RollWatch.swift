import MusicalTime

/// Whether a roll that has just begun is looked at once more, and when.
///
/// What an owner of the timebase shows when it rolls can be known only some cycles later. And a deadline that
/// is missed about the beginning of a roll moves JACK against Link: what has just begun is put right, what
/// has long been playing is not interrupted. So for two quanta each missed deadline has the roll looked at
/// again, as soon as the clock has found its feet.
struct RollWatch: Sendable {
  /// How often one start is put right at most.
  private static var mostCorrections: Int { 4 }

  private var ends: HostTime<LinkClock>?
  private var cyclesLeft = 0
  /// How often the roll was put right.
  private(set) var corrections = 0
  /// Whether a missed deadline is why it is looked at, and not what its owner shows.
  private(set) var isDisturbed = false
  /// How far ahead of Link frames are by intent.
  private(set) var expected = HostInterval.zero

  /// The watch of a roll that was put right so often before it began.
  @_noLocks
  init(after corrections: Int = 0) { self.corrections = corrections }

  /// Whether it may be interrupted: once, and once more for each missed deadline.
  var mayInterrupt: Bool { @_noLocks get { corrections == 0 || isDisturbed } }

  /// Whether there is something to look at soon.
  var isDue: Bool { @inline(__always) @_noLocks get { cyclesLeft > 0 } }

  /// The roll has begun so far ahead of Link's beat because there was no other way.
  @_noLocks
  mutating func expect(_ distance: HostInterval) { expected = distance }

  /// The transport rolls on an owner's timebase, and is watched for so long.
  @_noLocks
  mutating func rolledWithOwner(at time: HostTime<LinkClock>, for span: HostInterval) {
    if case .none = ends {
      ends = time + span
      cyclesLeft = Follower.learning &+ 1
    }
  }

  /// The transport rolls while the clock is restless, so that nobody can say yet where.
  @_noLocks
  mutating func rolledUnseen() {
    cyclesLeft = 1
    isDisturbed = true
  }

  /// The clock is restless: a deadline was missed.
  @_noLocks
  mutating func clockWasDisturbed(at time: HostTime<LinkClock>) {
    guard let ends, time < ends, corrections < RollWatch.mostCorrections else { return }
    cyclesLeft = Follower.learning &+ 1
    isDisturbed = true
  }

  /// A cycle in which the roll could be looked at; returns whether it is to be.
  @_noLocks
  mutating func look() -> Bool {
    guard cyclesLeft > 0 else { return false }
    cyclesLeft &-= 1
    return cyclesLeft == 0
  }

  /// The roll is put right.
  @_noLocks
  mutating func corrected() { corrections &+= 1 }
}
