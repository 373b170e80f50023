/// Something that people should know of a cycle.
public enum Notice: Sendable, BitwiseCopyable, Equatable {
  /// About the transport.
  case transport(TransportNotice)
  /// About tempo and beat.
  case grid(GridNotice)
}

/// The reports of a cycle, in the order of their events.
///
/// The largest number of notices of one cycle is stored in place, without allocations; of more than that only
/// the number is counted. Realtime-safe.
public struct Notices: Sendable, BitwiseCopyable, Equatable {
  private var first: Notice?
  private var second: Notice?
  private var third: Notice?
  private var fourth: Notice?
  /// How many there are to read.
  public private(set) var count = 0
  /// How many found no room.
  public private(set) var lost = 0

  /// How many there is room for.
  public static var capacity: Int { @_noLocks get { 4 } }

  /// No notices.
  @_noLocks
  public init() {}

  /// The notice number `index`, counted from 0.
  public subscript(index: Int) -> Notice? {
    @_noLocks get {
      switch index {
      case 0: first
      case 1: second
      case 2: third
      case 3: fourth
      default: nil
      }
    }
  }

  /// One more.
  @_noLocks
  public mutating func tell(_ notice: Notice) {
    switch count {
    case 0: first = notice
    case 1: second = notice
    case 2: third = notice
    case 3: fourth = notice
    default:
      lost &+= 1
      return
    }
    count &+= 1
  }

  /// Adds the notices of another part of the cycle.
  @_noLocks
  mutating func tell(_ others: Notices) {
    var index = 0
    while let notice = others[index] {
      tell(notice)
      index &+= 1
    }
    lost &+= others.lost
  }

  /// One more, about the transport.
  @_noLocks
  public mutating func tell(_ notice: TransportNotice) { tell(.transport(notice)) }

  /// One more, about tempo and beat.
  @_noLocks
  public mutating func tell(_ notice: GridNotice) { tell(.grid(notice)) }
}
