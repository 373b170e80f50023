import MusicalTime

/// A start that was cancelled before it rolled: the playhead is to be restored.
struct PutBack: Sendable {
  /// Where it was.
  let frame: TransportFrame
  /// The frames that JACK shows, or may show, because the bridge has relocated.
  private(set) var frames: RequestedFrames
  /// For how many cycles JACK has stood still.
  private var cycles = 0

  /// How many cycles a client's own relocation may take to show, which may come together with its stop.
  private static var cyclesToShow: Int { 4 }
  /// How many cycles the bridge's relocation takes, the one in which it is requested included.
  private static var delay: Int { 3 }

  @_noLocks
  init(to frame: TransportFrame, from frames: RequestedFrames) {
    self.frame = frame
    self.frames = frames
  }

  /// Whether the playhead is where the bridge has put it, and no client has located since.
  @_noLocks
  func isShown(at other: TransportFrame) -> Bool { other == frame || frames.contains(other) }

  /// Whether a playhead at `other` is where only the bridge has put it, and is still to be restored.
  @_noLocks
  func isAway(at other: TransportFrame) -> Bool { other != frame && frames.contains(other) }

  /// Takes a cycle in which JACK stands still at `shown`, and returns whether it is the one to ask in.
  @_noLocks
  mutating func isDue(at shown: TransportFrame) -> Bool {
    cycles &+= 1
    guard cycles == PutBack.cyclesToShow + 1 else { return false }
    // All earlier requests show by now: this one leads away from here.
    frames = RequestedFrames(shown: shown)
    frames.ask(for: frame)
    return true
  }

  /// Whether JACK was asked to restore it, and may not show that yet.
  var isUnderWay: Bool { @_noLocks get { cycles > PutBack.cyclesToShow && !isDone } }

  /// Whether the request shows: until then a start begins elsewhere than it shows.
  var isDone: Bool { @_noLocks get { cycles > PutBack.cyclesToShow + PutBack.delay } }
}
