/// A start that was taken back before it rolled: the playhead belongs where it was.
struct PutBack: Sendable {
  /// Where it was.
  var frame: UInt32
  /// What JACK shows, or may show, of where we have put it.
  fileprivate var shown: (UInt32, UInt32?, UInt32?)
  /// For how many cycles JACK has rested.
  private var cycles = 0

  /// How many cycles a client's own relocation may take to show, which may come together with its stop.
  private static var cyclesToShow: Int { 4 }
  /// How many ours takes from the cycle on in which it is asked for.
  private static var delay: Int { 3 }

  @_noLocks
  init(frame: UInt32, shown: (UInt32, UInt32?, UInt32?)) {
    self.frame = frame
    self.shown = shown
  }

  /// Whether the playhead is where we have put it, and nobody has put it elsewhere since.
  @_noLocks
  func isShown(at other: UInt32) -> Bool {
    other == frame || other == shown.0 || other == shown.1 || other == shown.2
  }

  /// Takes a cycle in which JACK rests, and tells whether it is the one to ask in.
  @_noLocks
  mutating func isDue() -> Bool {
    cycles &+= 1
    return cycles == PutBack.cyclesToShow + 1
  }

  /// Whether what was asked for shows: until then a start begins elsewhere than it says.
  var isDone: Bool { @_noLocks get { cycles > PutBack.cyclesToShow + PutBack.delay } }
}
