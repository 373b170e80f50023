import MusicalTime

/// Sees to it that JACK's timebase is whose it is to be, and that what JACK clients read of it is fresh: one
/// for each life of a server.
///
/// What has happened goes in, what is to be done comes out; carrying it out may block, and is the caller's
/// business. JACK tells nobody who owns its timebase, so it is looked for again and again; and it asks its
/// owner nothing while the transport is stopped, so what is new has to be offered.
///
/// | happened | while no request is under way | while one is |
/// |---|---|---|
/// | ``Event/checkDue`` | what ``TimebaseAction`` says | the same, when there is the answer |
/// | ``Event/positionChanged`` | if ours: ask, so that it is published | the same |
/// | ``Event/answered(_:)`` | | owner known; next request, if one is wanted |
///
/// Where a server grants the timebase to anybody, being asked for a position is the proof that it is ours.
public struct TimebaseKeeper: Sendable {
  /// Something that has happened.
  public enum Event: Sendable, Equatable {
    /// It is time to look, or there is a reason to.
    case checkDue
    /// What is to be read has changed: the tempo, or where the transport stands after a start that was taken
    /// back.
    case positionChanged
    /// The server has answered the last request.
    case answered(TimebaseAnswer)
  }

  /// What the last cycle saw.
  public struct View: Sendable, BitwiseCopyable {
    /// What the transport does.
    public var transport: TransportState
    /// What JACK has asked us.
    public var tally: TimebaseTally

    /// What the last cycle saw.
    public init(transport: TransportState, tally: TimebaseTally) {
      self.transport = transport
      self.tally = tally
    }
  }

  /// What follows.
  public struct Outcome: Sendable, Equatable {
    /// What is to be asked of the server. Its answer is to come back as ``Event/answered(_:)``.
    public var action = TimebaseAction.none
    /// What people are to be told.
    public var news: News?

    /// An outcome.
    public init(action: TimebaseAction = .none, news: News? = nil) {
      self.action = action
      self.news = news
    }
  }

  /// What people are told about the timebase.
  public enum News: Sendable, Equatable {
    /// It is ours.
    case taken
    /// It is ours, and was another client's.
    case retaken
  }

  /// Who owned the timebase when it was last asked for, as far as JACK tells.
  public private(set) var told = TimebaseOwner.nobody
  private var proof = Proof.needless
  /// Who is to lead.
  public var mode: SyncMode
  private let takeover: Takeover?
  private var request = Request.none
  /// How often JACK had asked when the last look asked for a timebase that was proved to be ours, as long as no
  /// question shows that it still is.
  private var unansweredSince: Int?
  /// When a start that is waited for is looked at next.
  private var nextLook: HostTime<LinkClock>?

  /// What there is to show that the timebase is ours, where JACK says so.
  private enum Proof {
    /// JACK does not say so to anybody else.
    case needless
    /// Nothing yet: what it had asked when it said so, and whether people know that it is ours.
    case awaited(since: TimebaseTally, isNews: Bool)
    /// JACK asks us.
    case given
    /// JACK has not asked us where it should have: it is asked once more, as a question can be lost.
    case doubted
    /// JACK does not ask us, and had asked so often when that was found.
    case missing(questions: Int)
  }

  private enum Request {
    case none
    case underWay
    /// One is under way, and things have changed since.
    case wantedAgain
  }

  /// How often the timebase's owner is looked for while it is we. Nothing that JACK clients or Link peers can
  /// notice waits for it.
  private static let calmInterval = HostInterval.seconds(1)
  /// How often while it is not: we want it as soon as nobody has it.
  private static let wantingInterval = HostInterval.milliseconds(250)
  /// How often while it is to be proved whether it is we.
  private static let provingInterval = HostInterval.milliseconds(50)
  /// How often what JACK clients will read when a start is due is published anew.
  private static let launchRefresh = HostInterval.milliseconds(8)
  /// How long a start that is waited for is not looked at at most: it may be planned anew.
  private static let longestLook = HostInterval.milliseconds(100)
  /// By how much a look may come early: clocks differ.
  private static let earlyLook = HostInterval.milliseconds(1)

  /// A keeper of a timebase of which nothing is known.
  ///
  /// - Parameters:
  ///   - mode: Who is to lead.
  ///   - takeover: What the user wants when another client owns the timebase; `nil` for what goes with the
  ///     mode.
  public init(_ mode: SyncMode, takeover: Takeover?) {
    self.mode = mode
    self.takeover = takeover
  }

  /// Who owns the timebase, as far as is known.
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

  /// Takes note of what has happened.
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

  /// Looks, and has the next look follow soon where this one asks for what was proved to be ours.
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

  /// Looks whether JACK asks us, as it asks the timebase's owner. Returns what that is to people.
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
      mode, takeover, owner: owner, while: view.transport, silentCycles: view.tally.silentCycles)
    guard case .retake = action else { return action }
    return switch proof {
    case .needless: .retake
    case .awaited, .given, .doubted: .ask
    case .missing: .seize
    }
  }

  /// One request is under way at a time; what comes up meanwhile is asked once, when there is the answer.
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
  /// Keeps what JACK clients read in the first rolling cycle exact: JACK asks its timebase owner about it
  /// once, when the start is planned, and what was true then is some microseconds off when it rolls.
  ///
  /// - Parameters:
  ///   - launch: When the cycle begins in which the start rolls; `nil` when none is waited for.
  ///   - now: What time it is.
  ///   - period: How long a cycle is.
  ///   - isAppointed: Whether this is a look that was asked for; else it is that something has happened in a
  ///     cycle, which changes nothing while a look is still to come in time.
  /// - Returns: What is to be asked of the server, and in which time to look again, if at all.
  public mutating func look(
    at launch: HostTime<LinkClock>?, now: HostTime<LinkClock>, period: HostInterval, isAppointed: Bool
  ) -> (action: TimebaseAction, again: HostInterval?) {
    guard owner.isMe, let launch else {
      nextLook = nil
      return (.none, nil)
    }
    let due = launch - PendingLaunch.refreshLead(period: period)
    if let nextLook {
      // A start may be planned anew, and be due before that; then what was asked for is out of date.
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
