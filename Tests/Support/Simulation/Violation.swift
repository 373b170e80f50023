import MusicalTime

/// The laws that hold in every cycle, with any event.
public enum Law: String, Sendable, CaseIterable {
  // Laws of the position that JACK's clients read.
  case publishedInPhase = "what is published about the next cycle has Link's phase at the time it is heard"
  case readInPhase = "what clients read has Link's phase as it is heard, unless the machine stood still"
  case monotone = "a rolling position never goes back"
  case continuous = "a rolling position jumps only where the session's grid does, by less than a quantum"
  case valid = "while the timebase is ours and the transport rolls, there is a position"
  case renderedByFrames = "while JACK renders, what clients read goes with its frames"
  case renderedAlone = "and neither the session nor the transport is touched"
  case tempoPublished = "the published tempo is the session's, in the meter's beats"
  case meterPublished = "the meter that is published is the user's"
  case meterAtBar = "while JACK rolls, it is another with the next bar, and no earlier"

  // The Link session.
  case gridKept = "peers' beat is forced only by the user's word"
  case imposed = "a user who imposes JACK on the session brings it to JACK's tempo and beat"
  case downbeatHeard = "the beat at which a user asks for the downbeat is the first of JACK's bar"
  case tempoKept = "only a user or JACK in the lead sets the tempo"
  case nudgesHold = "the session's tempo changes by the step that a user asks for"
  case successionKept =
    "while JACK rolls, a peer that comes as the last one leaves does not replace the session's tempo"
  case commitsChange = "a commit changes something"
  case nothingSent = "where tempo is not sent, the session's is not changed in company"
  case tempoAsked = "the session's tempo is one that somebody has asked for"
  case oneAuthority = "the side that follows is not asked to lead"
  case editsInTime = "what is committed is about now"

  // Start and stop.
  case lastPressWins = "seconds after a press both sides do what was pressed last"
  case sidesAgree = "or, where presses cross, at least the same"
  case peersAgree = "and so do the peers"
  case lossyPressesArrive =
    "where messages are lost, the last press has reached all sides some seconds later"
  case differencesStay =
    "after a join, or where starts are shared anew, JACK and the session go on as they did until a press"
  case joinPressesNobody = "joining a session, or sharing starts with it anew, presses nobody's button"
  case noChatter = "nobody is asked to start or stop when nothing has happened"
  case launchInPhase = "a start in company rolls within a period of where Link's phase is the playhead's"
  case framesInPhase = "and so that frames times tempo have Link's phase"
  case firstBeatPlayed =
    "or, where nothing is before it, so that its first beat is read and played in the nearest cycle"
  case ownersStart = "so does a start with an owner in the lead, two quanta after the last missed deadline"
  case ownersBeatsKept = "and one that began in phase is not moved by whole beats"
  case placesTempoHeld = "and it begins in the tempo of the place that it is for, not of the frames before"
  case rollsSettle =
    "three seconds after it began to roll in company, what counts frames is in phase, whatever came before"
  case startsInTime = "and it rolls at the first instant of those that it waits for"
  case choicesHold =
    "a start waits for the bar or the beat, or for nothing, as the user has last chosen"
  case offsetComes = "while JACK rolls, another offset is come to by a fiftieth of the time that passes"
  case rollsOnTime = "a start that a peer stamps with a quantum's time rolls on that quantum"
  case lossyStampsKept =
    "where messages are lost, it rolls on that quantum, or on the first one after the start is heard"
  case takenBackWhole = "a start that is taken back leaves the playhead, and what is read, where they were"
  case startEnds = "a start rolls within the time that it can take"
  case loopsRollOn = "a loop of whole quanta goes on as soon as JACK can"
  case movesOnce = "a start moves the playhead by less than a period, a roll is interrupted once at most"
  case framesKept = "with a discipline frames stay within its threshold, but for a bar or two"
  case realignsAtBars = "and are put in phase at bar lines alone, and only when they are off"
  case restsWhereItIs = "a playhead at rest is put only to where it was before a start that was taken back"
  case handsOff = "where JACK leads by the user's word, it is neither relocated nor held"
  case syncOff = "without start/stop sync neither side hears of the other"

  // JACK leads.
  case followsTempo = "Link has the tempo of the owner that leads"
  case followsPhase = "and its phase"
  case ownersGlide = "also within 10 ms while the tempo glides"
  case sessionKept = "without the user's word peers' tempo becomes JACK's only when that changes"
  case plainTempoLeft = "what steering has put on the tempo does not stay when JACK rests, or its owner goes"
  case ownersStay = "an owner in the session's tempo that leads in company does not drift away from it"
  case ownersTempoSet = "what JACK makes of the session's tempo as it leads is its owner's tempo"
  case steersRarely = "a steady owner costs few commits"

  // Laws of the notices.
  case pressesTold = "a peer's press is told"
  case leaderShown = "the side that leads is shown as the leader"
  case differenceTold = "that JACK and the session have different tempos is told"
  case silenceTold = "that the owner publishes nothing is told"

  // The timebase.
  case timebaseOurs = "the timebase is ours when nobody else wants it"
  case timebaseTheirs = "the timebase is not taken from another client unless the user said so"
  case releasedAtRest = "the timebase is given up only while the transport rests"
}

extension Law {
  /// The largest share of what a law is about, from 0 to 1, for which it may be excused in many simulated
  /// hours.
  public var mostExcused: Double {
    switch self {
    case .publishedInPhase, .monotone, .valid, .timebaseOurs: 0.005
    case .startEnds: 0.04
    case .silenceTold, .downbeatHeard: 0.05
    case .readInPhase: 0.07
    case .nothingSent: 0.5
    case .gridKept, .oneAuthority, .handsOff, .sessionKept, .leaderShown, .differenceTold: 0.1
    case .commitsChange, .tempoAsked, .pressesTold: 0.15
    case .rollsSettle, .startsInTime, .ownersTempoSet, .tempoKept, .nudgesHold: 0.2
    case .continuous: 0.25
    case .restsWhereItIs: 0.3
    case .renderedByFrames, .realignsAtBars, .syncOff: 0.35
    case .takenBackWhole, .launchInPhase, .framesInPhase: 0.4
    case .sidesAgree, .peersAgree: 0.45
    case .lastPressWins, .firstBeatPlayed, .ownersStart, .ownersBeatsKept, .placesTempoHeld, .ownersStay,
      .followsTempo, .followsPhase, .ownersGlide, .successionKept, .choicesHold, .offsetComes, .framesKept,
      .plainTempoLeft, .joinPressesNobody, .noChatter, .lossyStampsKept, .lossyPressesArrive,
      .differencesStay, .rollsOnTime, .loopsRollOn, .imposed:
      0.5
    case .tempoPublished, .meterPublished, .meterAtBar, .editsInTime, .steersRarely,
      .movesOnce, .renderedAlone, .timebaseTheirs, .releasedAtRest:
      0
    }
  }
}

extension Law {
  /// How often a law is to be applied in a hundred simulated hours at least.
  public var leastApplied: Double {
    switch self {
    case .rollsSettle, .startsInTime: 1_000
    default: 100
    }
  }
}

/// A law that did not hold.
public struct Violation: Error, Sendable, CustomStringConvertible {
  /// The law.
  public var law: Law
  /// When, since the beginning of the history.
  public var time: HostInterval
  /// The observation that breaks it.
  public var detail: String

  /// One line.
  public var description: String {
    "\(Double(time.nanoseconds / 1_000_000) / 1e3) s: not so: \(law.rawValue). \(detail)"
  }
}
