import MusicalTime

/// A tempo that a user taps.
///
/// It is that of the last taps, as long as they go on: by their mean distance, so that none of them counts
/// for more.
public struct TapTempo: Sendable {
  /// How many taps count.
  private static let most = 8
  /// The longest time between two taps: the slowest tempo's, and some more.
  private static var longest: HostInterval { Tempo.slowest.interval(of: .one) * 2 }
  /// The shortest: two that are closer are one.
  private static var shortest: HostInterval { .milliseconds(50) }

  private var taps: [HostTime<LinkClock>] = []

  /// A tempo without taps.
  public init() {}

  /// Takes a tap, and returns the tempo that it makes; `nil` if it is the first, or makes none.
  public mutating func tapped(at time: HostTime<LinkClock>) -> Tempo? {
    if let last = taps.last {
      let distance = time - last
      if distance < .zero || distance > TapTempo.longest {
        taps = []
      } else if distance < TapTempo.shortest {
        return nil
      }
    }
    taps.append(time)
    if taps.count > TapTempo.most { taps.removeFirst() }
    guard let first = taps.first, taps.count > 1 else { return nil }
    return Tempo(clamping: 60 * Double(taps.count - 1) / (time - first).seconds)
  }
}
