import MusicalTime

/// The frames that JACK may show after a relocation by the bridge: any other frame is another client's
/// locate.
///
/// JACK takes a relocation in the next cycle and shows it in the one after that; until then it shows the
/// frame before, which may be the bridge's last request.
struct RequestedFrames: Sendable {
  /// The frame that JACK shows as long as no client relocates.
  private(set) var shown: TransportFrame
  /// The last frame that the bridge has requested, wanted still or not.
  private(set) var requested: TransportFrame?
  /// The one before, which may still show.
  private var before: TransportFrame?
  /// Cycles since then; JACK shows it two later.
  private(set) var age = 0

  @_noLocks
  init(shown: TransportFrame) { self.shown = shown }

  /// Takes a cycle in which JACK shows `frame`, and returns whether that is another client's relocation.
  @_noLocks
  mutating func isRelocated(by frame: TransportFrame) -> Bool {
    let isRelocated = !contains(frame)
    age &+= 1
    shown = frame
    return isRelocated
  }

  /// Takes a cycle in which JACK rolls on, where it has been asked to go elsewhere.
  @_noLocks
  mutating func rollOn() { age &+= 1 }

  /// JACK is asked to go to `frame`.
  @_noLocks
  mutating func ask(for frame: TransportFrame) { settle(on: frame, age: 0) }

  /// Another client has requested `frame`, which shows already, and it counts as the bridge's request.
  @_noLocks
  mutating func accept(_ frame: TransportFrame) { settle(on: frame, age: 2) }

  /// The bridge's request is no longer wanted: another client's was later.
  @_noLocks
  mutating func yield() { self = RequestedFrames(shown: shown) }

  @_noLocks
  private mutating func settle(on frame: TransportFrame, age: Int) {
    before = requested
    requested = frame
    self.age = age
  }

  /// Whether JACK may show `frame` without a relocation by another client.
  @_noLocks
  func contains(_ frame: TransportFrame) -> Bool { frame == shown || isRequested(frame) }

  /// Whether the bridge has asked for `frame`, wanted still or not, and JACK may show it for that.
  @_noLocks
  func isRequested(_ frame: TransportFrame) -> Bool { frame == requested || frame == before }

  /// Whether JACK does not show the bridge's request although it would by now: another client has later asked
  /// for the frame that JACK showed before.
  var isOvertaken: Bool { @_noLocks get { !isUnderWay && !isShown } }

  /// Whether JACK shows the bridge's last request, if there is one.
  var isShown: Bool { @_noLocks get { requested == nil || requested == shown } }

  /// Whether JACK is going to ask once more because of a relocation by the bridge: in the second cycle after
  /// it.
  var isUnknown: Bool { @_noLocks get { requested != nil && age < 2 } }

  /// Whether JACK has just asked about a relocation by the bridge, or is going to.
  var isAsked: Bool { @_noLocks get { requested != nil && age <= 2 } }

  /// Whether a relocation by the bridge may not show yet.
  var isUnderWay: Bool { @_noLocks get { requested != nil && age <= 3 } }
}
