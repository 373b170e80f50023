import MusicalTime

/// Sees to it that JACK's timebase is whose it is to be, and that what JACK clients read of it is fresh: one
/// for each life of a server.
///
/// Events go in, actions come out; the caller carries them out, which may block. JACK does not report who
/// owns its timebase, so the keeper asks again and again; and JACK asks its owner nothing while the transport
/// is stopped, so a new position has to be offered.
///
/// | happened | while no request is under way | while one is |
/// |---|---|---|
/// | ``Event/checkDue`` | what ``TimebaseAction`` says | the same, when there is the answer |
/// | ``Event/positionChanged`` | if the bridge's: ask, so that it is published | the same |
/// | ``Event/answered(_:)`` | | owner known; next request, if one is wanted |
///
/// Where a server grants the timebase to any client, a request for a position is the proof that the bridge
/// owns it.
public struct TimebaseKeeper: Sendable {
  /// Something that has happened.
  public enum Event: Sendable, Equatable {
    /// It is time to look, or there is a reason to.
    case checkDue
    /// The position to publish has changed: the tempo, or where the transport stands after a cancelled start.
    case positionChanged
    /// The server has answered the last request.
    case answered(TimebaseAnswer)
  }

  /// The user's mode, and the last cycle's observation.
  public struct View: Sendable, BitwiseCopyable {
    /// The leading side, as the user has chosen it.
    public var mode: SyncMode
    /// The direction in which tempo is shared.
    public var tempoSync: Sharing
    /// The transport state.
    public var transport: TransportState
    /// JACK's requests to the bridge.
    public var tally: TimebaseTally

    /// A view of a cycle.
    public init(
      mode: SyncMode = .auto, tempoSync: Sharing = .both, transport: TransportState, tally: TimebaseTally
    ) {
      self.mode = mode
      self.tempoSync = tempoSync
      self.transport = transport
      self.tally = tally
    }
  }

  /// The consequences of an event.
  public struct Outcome: Sendable, Equatable {
    /// The request to the server. Its answer is to come back as ``Event/answered(_:)``.
    public var action = TimebaseAction.none
    /// The report for people, if any.
    public var news: News?

    /// An outcome.
    public init(action: TimebaseAction = .none, news: News? = nil) {
      self.action = action
      self.news = news
    }
  }

  /// A report about the timebase.
  public enum News: Sendable, Equatable {
    /// The bridge owns it.
    case taken
    /// The bridge owns it, and another client did before.
    case retaken
  }

  /// The timebase owner when the bridge last asked for it, as far as JACK reports it.
  public private(set) var told = TimebaseOwner.nobody
  private var proof = Proof.needless
  private let takeover: Takeover?
  private var request = Request.none
  /// How often JACK had asked when the last look asked for a timebase that was proved to be the bridge's, as
  /// long as no question shows that it still is.
  private var unansweredSince: Int?
  /// When a start that is waited for is looked at next.
  private var nextLook: HostTime<LinkClock>?

  /// The proof that the bridge owns a timebase that JACK has granted.
  private enum Proof {
    /// JACK grants it to one client alone.
    case needless
    /// Nothing yet: JACK's requests at the grant, and whether a notice has reported the bridge as owner.
    case awaited(since: TimebaseTally, isNews: Bool)
    /// JACK asks the bridge.
    case given
    /// JACK has not asked the bridge where it should have: the keeper asks for the timebase once more, as a
    /// question can be lost.
    case doubted
    /// JACK does not ask the bridge, and had asked so often when that was found.
    case missing(questions: Int)
  }

  private enum Request {
    case none
    case underWay
    /// One is under way, and things have changed since.
    case wantedAgain
  }

  /// How often the timebase's owner is looked for while the bridge is the owner. Nothing that JACK clients or
  /// Link peers can notice waits for it.
  private static let calmInterval = HostInterval.seconds(1)
  /// How often while another client owns it: the bridge takes it as soon as it is free.
  private static let wantingInterval = HostInterval.milliseconds(250)
  /// How often while it is to be proved whether the bridge is the owner.
  private static let provingInterval = HostInterval.milliseconds(50)
  /// How often what JACK clients will read when a start is due is published anew.
  private static let launchRefresh = HostInterval.milliseconds(8)
  /// How long a start that is waited for is not looked at at most: it may be planned anew.
  private static let longestLook = HostInterval.milliseconds(100)
  /// By how much a look may come early: clocks differ.
  private static let earlyLook = HostInterval.milliseconds(1)

  /// A keeper of a timebase of which nothing is known.
  ///
  /// - Parameter takeover: The user's choice for a timebase that another client owns; `nil` for the default of
  ///   the mode.
  public init(takeover: Takeover?) { self.takeover = takeover }

  /// The timebase owner, as far as it is known.
  public var owner: TimebaseOwner { isDisproved ? .other : told }

  /// Whether another client owns a timebase that the server has granted to the bridge: JACK has not asked for a
  /// position after two grants. See ``TimebaseGrant/isDisproved``.
  public var isDisproved: Bool {
    guard told.isMe, case .missing = proof else { return false }
    return true
  }

  /// In which time to look next.
  public var checkInterval: HostInterval {
    switch proof {
    case .awaited, .doubted: return TimebaseKeeper.provingInterval
    case .given where unansweredSince != nil: return TimebaseKeeper.provingInterval
    case .needless, .given, .missing:
      return owner.isMe ? TimebaseKeeper.calmInterval : TimebaseKeeper.wantingInterval
    }
  }

  /// Takes an event.
  public mutating func take(_ event: Event, seeing view: View) -> Outcome {
    let news = weigh(view.tally)
    var outcome =
      switch event {
      case .checkDue: look(view)
      case .positionChanged: Outcome(action: demand(owner.isMe ? .ask : .none))
      case .answered(let answer): take(answer, seeing: view)
      }
    if outcome.news == nil { outcome.news = news }
    return outcome
  }

  /// Looks, and has the next look follow soon where this one asks for a timebase that was proved to be the
  /// bridge's.
  private mutating func look(_ view: View) -> Outcome {
    let action = demand(wanted(view))
    if let since = unansweredSince {
      if since != view.tally.questions { unansweredSince = nil }
    } else if case .given = proof, action == .ask {
      unansweredSince = view.tally.questions
    }
    return Outcome(action: action)
  }

  /// Takes note that there is no server any more.
  public mutating func serverGone() { (told, proof, unansweredSince) = (.nobody, .needless, nil) }

  /// Looks whether JACK asks the bridge, as it asks the timebase's owner. Returns the report of that, if
  /// there is one.
  private mutating func weigh(_ tally: TimebaseTally) -> News? {
    switch proof {
    case .needless: break
    case .awaited(let before, let isNews):
      if tally.questions != before.questions {
        proof = .given
        return isNews ? .taken : nil
      }
      if tally.silentCycles >= before.silentCycles + TimebaseAction.silence {
        proof = .missing(questions: tally.questions)
      }
    case .given:
      if tally.silentCycles >= TimebaseAction.silence { proof = .doubted }
    case .doubted:
      if tally.silentCycles == 0 { proof = .given }
    case .missing(let questions):
      guard tally.questions != questions else { break }
      proof = .given
      return .taken
    }
    return nil
  }

  private func wanted(_ view: View) -> TimebaseAction {
    let action = TimebaseAction(
      view.mode, view.tempoSync, takeover, owner: owner, while: view.transport,
      silentCycles: view.tally.silentCycles)
    guard case .retake = action else { return action }
    return switch proof {
    case .needless: .retake
    case .awaited, .given, .doubted: .ask
    case .missing: .seize
    }
  }

  /// One request is under way at a time; a request that comes up meanwhile is made once, when there is the
  /// answer.
  private mutating func demand(_ action: TimebaseAction) -> TimebaseAction {
    guard action != .none else { return .none }
    switch request {
    case .none:
      request = .underWay
      return action
    case .underWay, .wantedAgain:
      request = .wantedAgain
      return .none
    }
  }

  private mutating func take(_ answer: TimebaseAnswer, seeing view: View) -> Outcome {
    let wasWantedAgain = request == .wantedAgain
    let wasMine = told.isMe
    request = .none
    var outcome = Outcome()
    switch answer {
    case .ours:
      told = .me
      if !wasMine { outcome.news = .taken }
    case .granted:
      told = .me
      switch proof {
      case .needless: proof = .awaited(since: view.tally, isNews: true)
      case .doubted: proof = .awaited(since: view.tally, isNews: false)
      case .awaited, .given, .missing: break
      }
    case .retaken:
      // It was another's, which the cycle and people may not have known.
      told = .me
      outcome.news = .retaken
      if case .missing = proof { proof = .awaited(since: view.tally, isNews: false) }
    case .anothers: told = .other
    case .nobodys: (told, proof) = (.nobody, .needless)
    case .unknown: break
    }
    if wasWantedAgain {
      let next = wanted(view)
      outcome.action = demand(next == .none && owner.isMe ? .ask : next)
    }
    return outcome
  }
}

// MARK: A start that is waited for

extension TimebaseKeeper {
  /// Keeps the position that JACK clients read in the first rolling cycle exact: JACK asks its timebase owner
  /// about it once, when the start is planned, and that position is some microseconds off when it rolls.
  ///
  /// - Parameters:
  ///   - launch: When the cycle begins in which the start rolls; `nil` when none is waited for.
  ///   - now: The present time.
  ///   - period: How long a cycle is.
  ///   - isAppointed: Whether this is a look that was asked for; else it is that something has happened in a
  ///     cycle, which changes nothing while a look is still to come in time.
  /// - Returns: The request to the server, and after which interval to call again, or `nil`.
  public mutating func look(
    at launch: HostTime<LinkClock>?, now: HostTime<LinkClock>, period: HostInterval, isAppointed: Bool
  ) -> (action: TimebaseAction, again: HostInterval?) {
    guard owner.isMe, let launch else {
      nextLook = nil
      return (.none, nil)
    }
    let due = launch - PendingLaunch.refreshLead(period: period)
    if let nextLook {
      // A start may be planned anew, and be due before that; then the earlier request is out of date.
      let isInTime = nextLook <= max(due, now) + TimebaseKeeper.launchRefresh
      let isOutOfDate = now + TimebaseKeeper.earlyLook < nextLook
      if isAppointed ? isOutOfDate : isInTime { return (.none, nil) }
    } else if isAppointed {
      return (.none, nil)
    }
    let isDue = due <= now
    let again = isDue ? TimebaseKeeper.launchRefresh : min(due - now, TimebaseKeeper.longestLook)
    nextLook = now + again
    return (isDue ? demand(.ask) : .none, again)
  }
}
