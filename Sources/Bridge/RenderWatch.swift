import JACK
import MusicalTime

/// Finds out whether a server that the bridge has not joined yet freewheels, as for an export: its frames do
/// not go with the clock then.
///
/// A client of jackd2 that is activated meanwhile may hang the server, and has no cycles when the export ends.
public struct RenderWatch: Sendable {
  /// The result of the observation so far.
  public enum Finding: Sendable, Equatable {
    /// Not enough readings.
    case unknown
    /// Frames go with the clock, or not at all: then it is no export.
    case keepsTime
    /// Frames go faster or slower than the clock.
    case renders
  }

  /// How long frames are counted, at least; and at least this many times they have to have moved.
  private static let window = HostInterval.milliseconds(100)
  private static let leastMoves = 3
  /// How long frames may stand still before that is no export.
  private static let patience = HostInterval.seconds(2)
  /// By how much frames may be faster or slower than the clock: others keep readings from being taken in time.
  private static let tolerance = 0.7...1.4

  private var begun: HostTime<JACKClock>?
  private var since: ServerPace?
  private var last: ServerPace?
  private var moves = 0

  /// A watch that has seen nothing.
  public init() {}

  /// Takes a reading. It has a result where readings are taken more often than cycles come.
  public mutating func look(_ pace: ServerPace, at rate: SampleRate) -> Finding {
    guard !pace.isRealtime else { return .keepsTime }
    defer { last = pace }
    guard let before = last, let begun else {
      begun = pace.time
      return .unknown
    }
    guard pace.frame != before.frame else {
      return moves == 0 && pace.time - begun > RenderWatch.patience ? .keepsTime : .unknown
    }
    guard let since, moves > 0 else {
      // The first reading is somewhere in its cycle, this one at the start of it.
      self.since = pace
      moves = 1
      return .unknown
    }
    moves += 1
    let passed = pace.time - since.time
    guard passed >= RenderWatch.window, moves > RenderWatch.leastMoves else { return .unknown }
    let counted = HostInterval(FrameCount(Int64(pace.frame.frames(since: since.frame))), at: rate)
    self.since = pace
    moves = 1
    return RenderWatch.tolerance.contains(counted.seconds / passed.seconds) ? .keepsTime : .renders
  }
}
