import MusicalTime

/// A tempo of JACK, which knows no limits, as Link can carry it: doubled or halved until it is within 20 to
/// 999.
public struct FoldedTempo: Sendable, BitwiseCopyable, Hashable {
  /// The owner's tempo as it is.
  public let ownersBeatsPerMinute: Double
  /// The tempo for Link.
  public let tempo: Tempo
  /// How often the owner's tempo was doubled; negative when it was halved.
  public let doublings: Int32

  /// Folds a tempo in quarter notes per minute; `nil` when it is not a number or not from a millionth to a
  /// million. Realtime-safe.
  @_noLocks
  public init?(beatsPerMinute: Double) {
    guard beatsPerMinute >= 1e-6, beatsPerMinute <= 1e6 else { return nil }
    var folded = beatsPerMinute
    var doublings: Int32 = 0
    // A little beyond the range is still its end: a sound card slightly off does not halve 999 bpm.
    if beatsPerMinute < 19.98 || beatsPerMinute > 999.25 {
      while folded < 20 {
        folded *= 2
        doublings &+= 1
      }
      while folded > 999 {
        folded /= 2
        doublings &-= 1
      }
    }
    guard let tempo = Tempo(clamping: folded) else { return nil }
    ownersBeatsPerMinute = beatsPerMinute
    self.tempo = tempo
    self.doublings = doublings
  }

  /// The owner's position as Link counts it. Realtime-safe.
  @_noLocks
  public func fold(_ position: BeatTime) -> BeatTime {
    let nanobeats = position.sinceZero.nanobeats
    guard doublings > 0 else {
      return BeatTime(sinceZero: Beats(nanobeats: nanobeats >> Int64(0 &- doublings)))
    }
    let bound = Beats.limit.nanobeats >> Int64(doublings)
    let bounded = nanobeats > bound ? bound : nanobeats < -bound ? -bound : nanobeats
    return BeatTime(sinceZero: Beats(nanobeats: bounded << Int64(doublings)))
  }

  /// The factor by which the owner's tempo was multiplied.
  var scale: Double {
    @_noLocks get {
      doublings < 0 ? 1 / Double(Int64(1) << Int64(0 &- doublings)) : Double(Int64(1) << Int64(doublings))
    }
  }

  /// Whether Link runs at another tempo than the owner.
  public var isFolded: Bool { @_noLocks get { doublings != 0 } }
}

extension FoldedTempo: CustomStringConvertible {
  /// The factor, for example `x2`, `/4`, or `x1` where the owner's tempo is used as it is.
  public var description: String {
    doublings < 0 ? "/\(1 << -Int(doublings))" : "x\(1 << Int(doublings))"
  }
}

extension Double {
  /// Whether two tempos are the same, up to a share of the other: by default about as much as steering
  /// makes of one.
  @_noLocks
  func isTempo(near other: Double, within share: Double = 1e-3) -> Bool {
    (self - other).magnitude <= other * share
  }
}
