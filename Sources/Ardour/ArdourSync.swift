import MusicalTime

/// Decides about the tempo of one Ardour and of the session, for one connection. Pure: no clock, no socket.
///
/// While Link leads, Ardour gets each tempo of the session's, and a tempo that a user sets in Ardour goes to the
/// session. Ardour does not report what it was asked to do, so it is asked for the tempo after each change: what it
/// answers is no edit as long as that is the tempo that was sent, or cut to a whole number. Times are from any one
/// instant on.
public struct ArdourSync: Sendable {
  /// The bridge's side.
  public struct Session: Sendable, Hashable {
    /// The session's tempo, but for what a discipline has put on it.
    public var tempo: Tempo
    /// Whether Link leads tempo and beat.
    public var linkLeads: Bool
    /// Whether JACK's transport rolls.
    public var isRolling: Bool
    /// How many other peers there are.
    public var peers: Int

    /// A state of the bridge.
    public init(tempo: Tempo, linkLeads: Bool, isRolling: Bool, peers: Int) {
      (self.tempo, self.linkLeads, self.isRolling, self.peers) = (tempo, linkLeads, isRolling, peers)
    }
  }

  /// The next thing to do.
  public enum Action: Sendable, Hashable {
    /// Send that to Ardour.
    case send(ArdourRequest)
    /// Ask that of the bridge.
    case ask(Wish)
    /// Tell people.
    case tell(News)
  }

  /// A request to the bridge.
  public enum Wish: Sendable, Hashable {
    /// A user's tempo in the session.
    case propose(Tempo)
    /// The tempo of a session without other peers.
    case found(Tempo)
    /// One relocation that brings frames into phase.
    case realign
  }

  /// Something that people should know.
  public enum News: Sendable, Hashable {
    /// Ardour's tempo map is not one tempo in quarter notes, and is left alone.
    case mixedTempos
    /// It is one again.
    case oneTempo
    /// Ardour does not take a tempo, and stays at another, in notes per minute.
    case keepsTempo(Double, wanted: Tempo)
    /// Recording is on, or off.
    case recording(Bool)
    /// Recording was not switched.
    case doesNotRecord(Bool)
  }

  /// How long Ardour has to take something, and the session.
  public static let patience = Duration.seconds(1)
  /// How long a tempo has to stay before frames are brought into phase: it is mostly changed in many steps.
  public static let settling = Duration.milliseconds(400)
  /// The shortest time between two tempos that are sent.
  public static let interval = Duration.milliseconds(100)
  /// How often the same tempo is sent.
  private static let mostAttempts = 2

  /// The tempo that Ardour has last reported; `nil` before the first.
  public private(set) var tempo: Double?
  /// Whether recording is on; `nil` as long as that is unknown.
  public private(set) var isRecording: Bool?
  /// Whether Ardour's tempo map is left alone, because it is not one tempo.
  public private(set) var isMixed = false

  private var session: Session?
  private var watch = TempoMapWatch()
  private var notation = ArdourRequest.Notation.number
  /// Whether it was decided whose tempo the other is to have at first.
  private var hasBegun = false
  private var sent: Sent?
  private var attempts = (tempo: 0.0, count: 0)
  /// A tempo of Ardour's that the session does not have yet, and until when it is waited for.
  private var proposed: (tempo: Double, until: Duration)?
  private var realignsAt: Duration?
  private var sendsAt = Duration.zero
  /// A switch of recording that Ardour has not confirmed, and until when it is waited for.
  private var wanted: (isOn: Bool, until: Duration)?

  /// A tempo that was sent, until Ardour has answered.
  private struct Sent {
    var tempo: Double
    var until: Duration
    /// The other tempo that Ardour has answered.
    var answer: Double?
  }

  /// For a connection that begins.
  public init() {}

  /// Whether two tempos are one: Ardour writes six digits, and Link counts whole microseconds per beat.
  public static func isSame(_ one: Double, _ other: Double) -> Bool {
    (one - other).magnitude <= 6e-4 + one * one * 1e-8
  }

  // MARK: Events

  /// The bridge's side is so; `nil` while there is none.
  public mutating func sessionIs(_ session: Session?, at now: Duration) -> [Action] {
    self.session = session
    return decide(now)
  }

  /// Ardour has said something.
  public mutating func received(_ message: ArdourMessage, at now: Duration) -> [Action] {
    switch message {
    case .tempo(let tempo): return heard(tempo, at: now) + decide(now)
    case .time(let time): watch.moved(to: time)
    case .tick(let tick):
      guard sent == nil, let tempo else { break }
      watch.moved(toTick: tick, tempo: tempo, at: now)
    case .record(let isOn): return recordingIs(isOn) + decide(now)
    case .roll, .other: return []
    }
    return decide(now)
  }

  /// A user switches recording on or off.
  public mutating func record(_ isOn: Bool, at now: Duration) -> [Action] {
    guard isOn != isRecording else { return [] }
    wanted = (isOn, now + Self.patience)
    return [.send(.record(isOn)), .send(.askRecord)]
  }

  /// Time has passed, as it has to by ``nextTime``.
  public mutating func timePassed(at now: Duration) -> [Action] { decide(now) }

  /// When there is something to decide about if nothing happens; `nil` for never.
  public var nextTime: Duration? {
    [
      sent?.until, proposed?.until, wanted?.until, watch.dueTime, mayAct && !isDue ? realignsAt : nil,
      mayAct && isDue && !watch.isInDoubt ? sendsAt : nil,
    ].compactMap(\.self).min()
  }

  // MARK: Decisions

  /// Whether something may be sent and asked for without a request of just now.
  private var mayAct: Bool { sent == nil && proposed == nil && session?.linkLeads == true && !isMixed }

  /// Whether Ardour is to have another tempo.
  private var isDue: Bool {
    guard let session, let tempo else { return false }
    let wanted = session.tempo.beatsPerMinute
    let isGivenUp = attempts.count >= Self.mostAttempts && Self.isSame(wanted, attempts.tempo)
    return !isGivenUp && !Self.isSame(wanted, tempo)
  }

  private mutating func heard(_ heard: Double, at now: Duration) -> [Action] {
    if var waiting = sent {
      if Self.isSame(heard, waiting.tempo) {
        settled(at: heard, now)
      } else if notation == .number, heard == waiting.tempo.rounded(.towardZero) {
        // The other way of writing it, at once.
        notation = .text
        waiting.until = now + Self.patience
        sent = waiting
        return [.send(.setTempo(waiting.tempo, notation)), .send(.askTempo)]
      } else {
        waiting.answer = heard
        sent = waiting
      }
      return []
    }
    guard let before = tempo else {
      tempo = heard
      return []
    }
    return Self.isSame(before, heard) ? [] : edited(heard, at: now)
  }

  /// Ardour has the tempo that was sent.
  private mutating func settled(at tempo: Double, _ now: Duration) {
    self.tempo = tempo
    sent = nil
    attempts.count = 0
    watch.tempoChanged()
    realignsAt = now + Self.settling
  }

  /// A user has set another tempo in Ardour.
  private mutating func edited(_ heard: Double, at now: Duration) -> [Action] {
    tempo = heard
    watch.tempoChanged()
    guard session?.linkLeads == true, !isMixed, let wanted = Tempo(beatsPerMinute: heard) else { return [] }
    proposed = (heard, now + Self.patience)
    hasBegun = true
    return [.ask(.propose(wanted))]
  }

  private mutating func recordingIs(_ isOn: Bool) -> [Action] {
    let before = isRecording
    isRecording = isOn
    if wanted?.isOn == isOn { wanted = nil }
    return before == nil || before == isOn ? [] : [.tell(.recording(isOn))]
  }

  private mutating func decide(_ now: Duration) -> [Action] {
    var actions = lookAtMap(now)
    if let switched = wanted, now >= switched.until {
      wanted = nil
      actions.append(.tell(.doesNotRecord(switched.isOn)))
    }
    actions += giveUpWaiting(now)
    guard mayAct, let session, let tempo else {
      if session?.linkLeads != true || isMixed { realignsAt = nil }
      return actions
    }
    if !hasBegun {
      hasBegun = true
      // The tempo of a song is worth more than that of a session without peers.
      if session.peers == 0, isDue, let wanted = Tempo(beatsPerMinute: tempo) {
        proposed = (tempo, now + Self.patience)
        return actions + [.ask(.found(wanted))]
      }
    }
    if isDue {
      if !watch.isInDoubt, now >= sendsAt { actions += send(session.tempo.beatsPerMinute, now) }
    } else if let due = realignsAt, now >= due {
      realignsAt = nil
      if session.isRolling { actions.append(.ask(.realign)) }
    }
    return actions
  }

  private mutating func lookAtMap(_ now: Duration) -> [Action] {
    watch.timePassed(at: now)
    guard watch.isMixed != isMixed else { return [] }
    isMixed = watch.isMixed
    return [.tell(isMixed ? .mixedTempos : .oneTempo)]
  }

  private mutating func send(_ wanted: Double, _ now: Duration) -> [Action] {
    attempts = (wanted, Self.isSame(wanted, attempts.tempo) ? attempts.count + 1 : 1)
    sent = Sent(tempo: wanted, until: now + Self.patience)
    sendsAt = now + Self.interval
    realignsAt = nil
    return [.send(.setTempo(wanted, notation)), .send(.askTempo)]
  }

  /// Ends the wait for what Ardour or the session does not take in time.
  private mutating func giveUpWaiting(_ now: Duration) -> [Action] {
    if let offered = proposed {
      if let session, Self.isSame(session.tempo.beatsPerMinute, offered.tempo) {
        proposed = nil
        realignsAt = now + Self.settling
      } else if now >= offered.until {
        proposed = nil
      }
    }
    guard let late = sent, now >= late.until else { return [] }
    sent = nil
    watch.tempoChanged()
    // Where Ardour has neither the tempo that was sent nor the one before, a user has set it meanwhile.
    if let answer = late.answer, let tempo, !Self.isSame(answer, tempo) { return edited(answer, at: now) }
    guard attempts.count >= Self.mostAttempts, let tempo, let wanted = Tempo(beatsPerMinute: late.tempo)
    else {
      return []
    }
    return [.tell(.keepsTempo(tempo, wanted: wanted))]
  }
}
