import MusicalTime

/// What is to be done about JACK's timebase, from outside the cycle: asking for it may block.
public enum TimebaseAction: Sendable, BitwiseCopyable, Equatable {
  /// Nothing.
  case none
  /// Ask for it, which takes it if nobody has it and tells whether somebody has. The owner that asks has JACK
  /// ask once more what to publish.
  case ask
  /// Ask for it, and take it from whoever has it.
  case retake
  /// Take it from whoever has it, without asking: the server would say yes, and change nothing.
  case seize
  /// Give it up: never while the transport moves, because that relocates it.
  case release

  /// How many cycles in which JACK should have asked us for a position show that another client has the timebase.
  static var silence: Int { 4 }

  /// What is to be done now. Thread-safe.
  ///
  /// - Parameters:
  ///   - mode: Who is to lead.
  ///   - takeover: What the user wants when another client owns the timebase; `nil` for what goes with the
  ///     mode.
  ///   - owner: Who owned it when it was last asked for.
  ///   - motion: What the transport does.
  ///   - silentCycles: See ``TimebaseTally/silentCycles``.
  public init(
    _ mode: SyncMode, _ takeover: Takeover?, owner: TimebaseOwner, while motion: TransportState,
    silentCycles: Int
  ) {
    let isSilent = motion.isRolling && silentCycles >= TimebaseAction.silence
    let isAsked = motion.isRolling && !isSilent
    self =
      switch mode {
      case .auto, .link:
        if owner.isMe, isAsked {
          .none
        } else {
          Takeover(takeover, while: mode) == .retake ? .retake : .ask
        }
      // Never taken, and given up as soon as that disturbs nobody.
      case .jack:
        if !owner.isMe {
          .none
        } else if isSilent {
          .ask
        } else {
          motion.isPlaying ? .none : .release
        }
      }
  }
}

/// Whose JACK's timebase is, as a server has answered to a ``TimebaseAction``.
public enum TimebaseAnswer: Sendable, BitwiseCopyable, Equatable {
  /// Ours.
  case ours
  /// Ours if nobody else has it: the server says yes to anybody. Its owner is asked for a position in the next
  /// cycle, and nobody else is.
  case granted
  /// Ours, and another client's until now.
  case retaken
  /// Another client's.
  case anothers
  /// Nobody's: it was given up.
  case nobodys
  /// There is no answer, as when the server has gone.
  case unknown
}
