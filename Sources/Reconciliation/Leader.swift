/// The side that has tempo and beat in one cycle: one side, for both.
public enum Leader: Sendable, BitwiseCopyable {
  /// JACK's clients read Link's beat.
  case link
  /// Link is steered to JACK's beat.
  case jack
  /// Another client owns the timebase, and Link is not to follow it.
  case neither

  /// The leader by the user's choices: where no tempo is sent to the session, JACK cannot lead.
  @_noLocks
  init(_ choices: Choices, _ takeover: Takeover?, _ owner: TimebaseOwner) {
    self = Leader(choices.mode, takeover, owner)
    switch self {
    case .jack: if !choices.tempoSync.sends { self = .neither }
    // A timebase that is still the bridge's is given up when the transport stops.
    case .link: if !choices.tempoSync.sends, !choices.tempoSync.receives, !owner.isMe { self = .neither }
    case .neither: break
    }
  }

  @_noLocks
  private init(_ mode: SyncMode, _ takeover: Takeover?, _ owner: TimebaseOwner) {
    switch (owner, mode) {
    case (.me, .auto), (.me, .link), (.me, .jack), (.nobody, .auto), (.nobody, .link): self = .link
    case (.nobody, .jack), (.other, .jack): self = .jack
    case (.other, .auto), (.other, .link):
      switch Takeover(takeover, while: mode) {
      case .follow: self = .jack
      case .retake, .yield: self = .neither
      }
    }
  }
}

/// The reaction to another client that takes the timebase while Link is to lead.
public enum Takeover: String, Sendable, BitwiseCopyable, CaseIterable {
  /// Take it back.
  case retake
  /// Leave it, and Link alone.
  case yield
  /// Have Link follow it.
  case follow

  /// The user's choice, or the default of `mode` without one: `auto` follows, `link` yields.
  @_noLocks
  public init(_ wanted: Takeover?, while mode: SyncMode) {
    guard let wanted else {
      switch mode {
      case .auto: self = .follow
      case .link, .jack: self = .yield
      }
      return
    }
    self = wanted
  }
}
