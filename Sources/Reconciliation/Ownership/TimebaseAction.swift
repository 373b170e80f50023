import MusicalTime

/// The action on JACK's timebase, from outside the cycle: a request may block.
public enum TimebaseAction: Sendable, BitwiseCopyable, Equatable {
  /// Nothing.
  case none
  /// Ask for it: the bridge gets it if no client owns it, and the answer shows whether one does. If the owner
  /// asks, JACK requests the position once more.
  case ask
  /// Ask for it, and take it from its owner.
  case retake
  /// Take it from its owner, without asking: the server would grant it, and change nothing.
  case seize
  /// Give it up: never while the transport moves, because that relocates it.
  case release

  /// How many cycles in which JACK should have asked the bridge for a position show that another client has
  /// the timebase.
  static var silence: Int { 4 }

  /// The action at present. Thread-safe.
  ///
  /// - Parameters:
  ///   - mode: The leading side.
  ///   - tempoSync: The direction in which tempo is shared: without any the timebase is given up.
  ///   - takeover: The user's choice for a timebase that another client owns; `nil` for the default of the
  ///     mode.
  ///   - owner: The owner when the bridge last asked for the timebase.
  ///   - motion: The transport state.
  ///   - silentCycles: See ``TimebaseTally/silentCycles``.
  public init(
    _ mode: SyncMode, _ tempoSync: Sharing, _ takeover: Takeover?, owner: TimebaseOwner,
    while motion: TransportState,
    silentCycles: Int
  ) {
    let isSilent = motion.isRolling && silentCycles >= TimebaseAction.silence
    let isAsked = motion.isRolling && !isSilent
    self =
      switch (mode, tempoSync) {
      case (.auto, .both), (.auto, .receive), (.auto, .send), (.link, .both), (.link, .receive),
        (.link, .send):
        if owner.isMe, isAsked {
          .none
        } else {
          Takeover(takeover, while: mode) == .retake ? .retake : .ask
        }
      // Never taken, and given up as soon as the transport is stopped.
      case (.jack, _), (_, .off):
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
  /// The bridge's.
  case ours
  /// The bridge's if no other client owns it: the server grants it to any client. Only the owner gets a
  /// request for a position in the next cycle.
  case granted
  /// The bridge's, and another client's until now.
  case retaken
  /// Another client's.
  case anothers
  /// Without an owner: the bridge has released it.
  case nobodys
  /// There is no answer, as when the server has gone.
  case unknown
}
