import MusicalTime
import Reconciliation

/// JACK's transport and timebase: when a server takes what is asked of it, how long it waits, and what
/// clients read.
///
/// `TransportTests` plays recordings of servers again with it, and compares each cycle.
public struct TransportEngine: Sendable {
  /// A client that takes its time whenever the transport starts or is relocated.
  public struct SlowClient: Sendable {
    /// The cycles it needs; `nil` for one that is never ready.
    var needs: Int?
    fileprivate var left: Int?
    /// Whether it is asked in this cycle if it is ready, as it is when it has joined.
    public fileprivate(set) var isAsked = true
    /// Whether it is ready in this cycle.
    public var isReady: Bool { left == 0 }

    /// A client that is ready after so many cycles.
    public init(needs: Int?) {
      self.needs = needs
      left = needs.map { $0 + 1 }
    }

    /// It is asked; what it needs begins anew, unless nothing has changed that it could see.
    fileprivate mutating func ask(anew: Bool) {
      guard anew || !isAsked || left == 0 else { return }
      left = needs.map { $0 + 1 }
      isAsked = true
    }

    fileprivate mutating func pass() {
      guard let left, isAsked else { return }
      if left == 0 { isAsked = false } else { self.left = left - 1 }
    }
  }

  /// A client that can own the timebase.
  public typealias OwnerID = Int

  enum Command: Sendable { case start, stop }

  /// The state of the transport in this cycle.
  public private(set) var motion = TransportState.stopped
  /// The position in this cycle.
  public private(set) var frame: TransportFrame = 0
  /// The position of the next cycle, unless a client relocates.
  public private(set) var pendingFrame: TransportFrame = 0
  /// Whether the timebase owner is asked because of a new position.
  public private(set) var isNewPosition = false
  /// Whether the server asks the bridge if it is ready.
  public private(set) var isSyncCallback = false
  /// The clients that others wait for.
  public var slowClients: [SlowClient] = []
  /// The frames in a cycle.
  public var period: UInt32
  /// The cycles a start may be held.
  public var timeout = 100_000
  let rules: TransportRules

  /// A position that a client has asked for.
  private struct Request {
    var frame: TransportFrame
    /// The answer of the timebase's owner that comes with it.
    var answer: Int?
  }
  private var request: Request?
  /// Whether the position of the next cycle is one that a client has asked for.
  private(set) var isRelocating = false
  private var command: Command?
  private var lastCommand = Command.stop
  private var weAreReady = true
  /// Whether it was relocated since it last rolled.
  private var isRelocated: Bool
  private var cyclesLeft = 0
  /// Whether the last start that rolled was released although a client was not ready.
  private(set) var hasGivenUp = false
  /// The bridge's requests that have not got through yet, with the cycles that takes.
  private var wishes: [(command: Command, cycles: UInt64)] = []
  private var dice: UInt64 = 0x9e37_79b9_7f4a_7c15
  /// The transport that clients do not go by now.
  private var away: [TransportEngine] = []
  private var isAway = false
  /// How many cycles late a start or a stop may be where it goes through a process that takes its time.
  public static let latestWish = 4

  /// Whose the timebase is.
  public private(set) var owner: OwnerID?
  /// The clients that have taken the timebase, or have asked for it, and were not asked since.
  private var newOwners: Set<OwnerID> = []
  /// Whether an owner was not let run when it was to be asked about a new position.
  private var isQuestionKept = false
  /// The answer of the timebase's owner that clients read in this cycle: its number.
  public private(set) var reading: Int?
  private var pendingReading: Int?
  /// The last answer of each client.
  private var answers: [OwnerID: Int] = [:]

  /// A transport that rests at frame 0.
  public init(period: UInt32, rules: TransportRules = .jackd2) {
    self.period = period
    self.rules = rules
    isRelocated = rules.rollsFirstFromThere
  }

  /// The frame that the server passes to the timebase owner when it asks about the next cycle.
  public var askedFrame: TransportFrame { rules.asksWithNextFrame ? pendingFrame : frame }

  /// Whether it rolls, and no client has asked for anything else.
  var isRollingOn: Bool { motion.isRolling && isWanted && !isRelocating && pendingFrame == frame + period }

  /// Whether it was last asked to start.
  public var isWanted: Bool { (command ?? lastCommand) == .start }

  /// How long a start may be held.
  public mutating func setTimeout(_ longest: HostInterval, at rate: SampleRate) {
    timeout = Int(FrameCount(nearest: longest, at: rate).count / Int64(period))
  }

  // MARK: Requests

  /// A client asks it to start, which takes effect at the beginning of a cycle.
  public mutating func start() { command = .start }

  /// A client asks it to stop, which takes effect at the beginning of a cycle.
  public mutating func stop() { command = .stop }

  /// A client asks it to go on from `frame`, where bar, beat and tick are not known.
  public mutating func locate(to frame: TransportFrame) { request = Request(frame: frame) }

  /// A client asks it to go on from `frame`, with the bar, beat and tick that it has read.
  public mutating func reposition(to frame: TransportFrame) {
    request = Request(frame: frame, answer: reading)
  }

  /// It is in this state, at this frame where there is one, though no client has asked for that: as one that a bridge
  /// joins, or was not let run to see.
  public mutating func put(_ motion: TransportState, at frame: TransportFrame? = nil) {
    if let frame { pendingFrame = frame }
    (command, request) = (nil, nil)
    lastCommand = motion.isPlaying ? .start : .stop
    switch motion {
    case .stopped: rest()
    case .starting: wait(as: .starting)
    case .rolling:
      isSyncCallback = false
      self.motion = .rolling
    }
  }

  /// The bridge asks it to start or to stop: on some servers through a process that takes its time.
  private mutating func wish(_ wish: Command) {
    guard rules.takesTransportLate else { return command = wish }
    dice ^= dice << 13
    dice ^= dice >> 7
    dice ^= dice << 17
    wishes.append((wish, dice % UInt64(TransportEngine.latestWish + 1)))
  }

  /// Takes the answers and requests of a cycle of the bridge.
  public mutating func carryOut(_ decision: Decision) {
    answer(isReady: !decision.holdsStart)
    switch decision.transport {
    case .none: break
    case .start: wish(.start)
    case .stop: wish(.stop)
    case .relocate(let frame): reposition(to: frame)
    case .locate(let frame): locate(to: frame)
    }
  }

  /// The bridge's answer to the server's question.
  public mutating func answer(isReady: Bool) {
    guard isSyncCallback, isReady else { return }
    isSyncCallback = false
    weAreReady = true
  }

  // MARK: The timebase

  /// A client takes the timebase, from any owner.
  public mutating func takeTimebase(_ client: OwnerID) {
    owner = client
    newOwners.insert(client)
  }

  /// A client asks for the timebase on condition that it is free. Returns whether the server grants that, which
  /// on some servers says nothing.
  public mutating func askForTimebase(_ client: OwnerID) -> Bool {
    let isFree = owner == nil || owner == client
    guard isFree || !rules.refusesTimebase else { return false }
    if isFree { owner = client }
    newOwners.insert(client)
    return true
  }

  /// A client gives the timebase up, or leaves. Returns whether it had it.
  @discardableResult public mutating func releaseTimebase(_ client: OwnerID) -> Bool {
    guard owner == client else { return false }
    owner = nil
    newOwners.remove(client)
    if rules.relocatesForOwner { request = Request(frame: request?.frame ?? frame) }
    return true
  }

  /// A client leaves, and with it the timebase, if it has that, and what it has said.
  mutating func leave(_ client: OwnerID) {
    releaseTimebase(client)
    answers[client] = nil
  }

  /// Whether the timebase's owner is asked in this cycle, if there is one and it is let run.
  public var asksOwner: Bool { motion == .rolling || asksAboutNew }

  /// Whether the server says then that the position is a new one.
  public var asksAboutNew: Bool {
    guard let owner else { return false }
    return isNewPosition || isQuestionKept || newOwners.contains(owner)
  }

  /// The timebase's owner was asked in this cycle, and gave an answer of this number; `nil` for none.
  public mutating func ownerAnswers(_ number: Int?) {
    guard let owner else { return }
    newOwners.remove(owner)
    isQuestionKept = false
    guard let number else { return }
    answers[owner] = number
    pendingReading = number
  }

  /// The timebase's owner was not let run in this cycle.
  public mutating func ownerMisses() { isQuestionKept = rules.asksLate && (isQuestionKept || isNewPosition) }

  // MARK: Rendering

  /// A client renders, or does not any more, from the next cycle on.
  public mutating func setFreewheel(_ isOn: Bool) {
    guard rules.rendersApart, isOn == !isAway else { return }
    var other = away.first ?? TransportEngine(period: period, rules: rules)
    (other.period, other.timeout, other.slowClients) = (period, timeout, slowClients)
    (other.wishes, other.dice, other.isAway) = (wishes, dice, isOn)
    away = []
    // The driver that is left plays one cycle more without its clients.
    if isOn { beginCycle() }
    other.away = [self]
    self = other
  }

  // MARK: A cycle

  /// Whether the transport rolls in the next cycle, unless something else is asked until then.
  var rollsNext: Bool {
    var next = self
    next.beginCycle()
    return next.motion == .rolling
  }

  /// The beginning of a cycle, when the server takes what was asked during the last one.
  public mutating func beginCycle() {
    takeWishes()
    let last = frame
    if rules.relocationDelay < 2 { takeRelocation() }
    frame = pendingFrame
    reading = rules.wipesPosition ? pendingReading : owner.flatMap { answers[$0] }
    isNewPosition = false
    let news = rules.restartsRoll || command != lastCommand ? command : nil
    lastCommand = command ?? lastCommand
    command = nil
    let wasRolling = motion == .rolling
    switch motion {
    case .stopped:
      if news == .start { wait(as: .starting) } else if isRelocating { wait(as: .stopped) }
    case .starting:
      if news == .stop {
        rest()
        takeLocateAtRest()
      } else if news == .start {
        wait(as: .starting, anew: isRelocating)
      } else if isRelocating {
        let left = cyclesLeft - 1
        wait(as: .starting)
        if !rules.locatesExtendHold { cyclesLeft = left }
      } else {
        cyclesLeft -= 1
        let isReady = weAreReady && slowClients.allSatisfy { $0.left == 0 }
        if cyclesLeft == 0 || isReady {
          hasGivenUp = !isReady
          roll()
        }
      }
    case .rolling:
      if news == .stop {
        rest()
        takeLocateAtRest()
      } else if news == .start || isRelocating {
        wait(as: .starting)
      }
    }
    // The next cycle is counted only when it is played.
    if wasRolling, motion != .rolling, rules.rollOffset > 0, !isRelocating {
      frame = last
      pendingFrame = last
    }
    if motion == .rolling { pendingFrame = frame + period }
    // The position shows in the next cycle, and it is then that clients are asked.
    if rules.relocationDelay == 2 { takeRelocation() }
    for index in slowClients.indices { slowClients[index].pass() }
  }

  /// They get through in order.
  private mutating func takeWishes() {
    while let first = wishes.first, first.cycles == 0 {
      command = first.command
      wishes.removeFirst()
    }
    if !wishes.isEmpty { wishes[0].cycles -= 1 }
  }

  private mutating func takeRelocation() {
    isRelocating = request != nil
    if let request {
      pendingFrame = request.frame
      pendingReading = request.answer
      isRelocated = true
    }
    request = nil
  }

  private mutating func roll() {
    motion = .rolling
    if !isRelocated { frame = frame + period &* rules.rollOffset }
    isRelocated = false
  }

  private mutating func wait(as motion: TransportState, anew: Bool = true) {
    self.motion = motion
    isNewPosition = true
    isSyncCallback = true
    weAreReady = false
    // A server that goes by the first request counts its cycle, too.
    cyclesLeft = rules.locatesExtendHold ? timeout : timeout - 1
    for index in slowClients.indices { slowClients[index].ask(anew: anew) }
  }

  /// The position is one that came with the stop.
  private mutating func takeLocateAtRest() {
    if isRelocating, rules.relocationDelay < 2 { wait(as: .stopped) }
  }

  private mutating func rest() {
    motion = .stopped
    isSyncCallback = false
    isQuestionKept = false
    newOwners = []
    for index in slowClients.indices { slowClients[index].isAsked = false }
  }
}
