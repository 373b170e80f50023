/// A time signature: how JACK counts beats and bars.
///
/// JACK counts the beats the signature names, Link counts quarter notes: a bar of 6/8 is six of JACK's beats
/// and three of Link's.
public struct Meter: Sendable, BitwiseCopyable, Hashable {
  /// The upper number: how many of its beats make a bar.
  public let beatsPerBar: Int32
  /// The lower number: the note value of one beat, 4 for a quarter note.
  public let beatType: Int32

  /// The upper numbers a meter can have.
  public static let beatsPerBarRange: ClosedRange<Int> = 1...64
  /// The lower numbers a meter can have.
  public static let beatTypes: [Int] = [1, 2, 4, 8, 16, 32, 64]

  /// 4/4.
  public static var common: Meter { @_noLocks get { Meter(unchecked: 4, 4) } }

  @_noLocks
  private init(unchecked beatsPerBar: Int32, _ beatType: Int32) {
    self.beatsPerBar = beatsPerBar
    self.beatType = beatType
  }

  /// Builds a meter; `nil` outside ``beatsPerBarRange`` or ``beatTypes``. Realtime-safe.
  @_noLocks
  public init?(beatsPerBar: Int, beatType: Int) {
    // Written out: static properties are made when they are first used, behind a lock.
    guard beatsPerBar >= 1, beatsPerBar <= 64, beatType >= 1, beatType <= 64, beatType & (beatType &- 1) == 0
    else { return nil }
    self.init(unchecked: Int32(beatsPerBar), Int32(beatType))
  }

  /// Reads a meter written as `6/8`; `nil` for anything else.
  public init?(_ text: String) {
    let numbers = text.split(separator: "/", omittingEmptySubsequences: false)
    guard numbers.count == 2, numbers.allSatisfy({ $0.allSatisfy(\.isASCIIDigit) }),
      let beatsPerBar = Int(numbers[0]), let beatType = Int(numbers[1])
    else { return nil }
    self.init(beatsPerBar: beatsPerBar, beatType: beatType)
  }

  /// Whether two meters are the same. Realtime-safe, which a comparison that the compiler makes is not.
  @inlinable @_noLocks
  public static func == (lhs: Meter, rhs: Meter) -> Bool {
    lhs.beatsPerBar == rhs.beatsPerBar && lhs.beatType == rhs.beatType
  }

  /// The length of one of JACK's beats, in Link's beats.
  @inlinable public var beatLength: Beats {
    // The beat type is a power of two, up to 64, and divides it without a rest.
    Beats(nanobeats: 4_000_000_000 >> Int64(truncatingIfNeeded: beatType.trailingZeroBitCount))
  }

  /// The length of a bar, in Link's beats.
  @inlinable public var barLength: Beats { Beats(nanobeats: beatLength.nanobeats &* Int64(beatsPerBar)) }

  /// The tempo JACK publishes: the meter's own beats per minute, twice Link's in 6/8.
  @inlinable
  public func beatsPerMinute(at tempo: Tempo) -> Double { tempo.beatsPerMinute * Double(beatType) / 4 }
}

extension Meter: CustomStringConvertible {
  /// The meter as it is written, for example `6/8`.
  public var description: String { "\(beatsPerBar)/\(beatType)" }
}

extension Character {
  fileprivate var isASCIIDigit: Bool { ("0"..."9").contains(self) }
}
