import MusicalTime
import Reconciliation

/// JACK's transport: when it takes what is asked of it, and how long it waits.
public struct TransportEngine: Sendable {
  /// A client that takes its time whenever the transport starts or is relocated.
  public struct SlowClient: Sendable {
    /// The cycles it needs; `nil` for one that is never ready.
    var needs: Int?
    fileprivate var left: Int?

    /// A client that is ready after so many cycles.
    public init(needs: Int?) {
      self.needs = needs
      left = needs
    }
  }

  enum Command: Sendable { case start, stop }

  /// What the transport does in this cycle.
  public private(set) var motion = TransportState.stopped
  /// The position in this cycle.
  public private(set) var frame: TransportFrame = 0
  /// The position of the next cycle, if nobody relocates.
  public private(set) var pendingFrame: TransportFrame = 0
  /// Whether the timebase owner is asked because of a new position.
  public private(set) var isNewPosition = false
  /// Whether clients read no bar, beat and tick in this cycle: who locates wipes them, and unless it rolls
  /// a server may ask the timebase owner only when that shows.
  public private(set) var isWiped = false
  /// Whether our client is asked if it is ready.
  public private(set) var isSyncCallback = false
  /// The clients that others wait for.
  public var slowClients: [SlowClient] = []
  /// The frames in a cycle.
  public var period: UInt32
  /// The cycles a start may be held.
  public var timeout = 100_000
  let rules: ServerRules

  private var request: TransportFrame?
  /// Whether what is asked for has no bar, beat and tick.
  private var wipes = false
  /// Whether the position of the next cycle is one that somebody has asked for.
  private(set) var isRelocating = false
  private var command = Command.stop
  private var lastCommand = Command.stop
  private var weAreReady = true
  /// Whether it was relocated since it last rolled.
  private var isRelocated = false
  private var cyclesLeft = 0
  /// What we have asked for that has not got through yet, with the cycles that takes.
  private var wishes: [(command: Command, cycles: UInt64)] = []
  private var dice: UInt64 = 0x9e37_79b9_7f4a_7c15

  /// A transport that rests at frame 0.
  public init(period: UInt32, rules: ServerRules = .jackd2) {
    self.period = period
    self.rules = rules
  }

  /// The frame that the timebase owner is told when it is asked about the next cycle.
  public var askedFrame: TransportFrame { rules.asksWithNextFrame ? pendingFrame : frame }

  /// Whether it rolls, and nobody has asked for anything else.
  var isRollingOn: Bool { motion.isRolling && isWanted && !isRelocating && pendingFrame == frame + period }

  /// Whether it was last asked to start.
  public var isWanted: Bool { command == .start }

  /// A client asks it to start, which takes effect at the beginning of a cycle.
  public mutating func start() { command = .start }

  /// A client asks it to stop, which takes effect at the beginning of a cycle.
  public mutating func stop() { command = .stop }

  /// A client asks it to go on from `frame`.
  public mutating func locate(to frame: TransportFrame) {
    request = frame
    wipes = true
  }

  /// We ask it to start or to stop: on some servers through a process that takes its time.
  private mutating func wish(_ wish: Command) {
    guard rules.takesTransportLate else { return command = wish }
    dice ^= dice << 13
    dice ^= dice >> 7
    dice ^= dice << 17
    wishes.append((wish, dice % 4))
  }

  /// The beginning of a cycle, when the server takes what was asked during the last one.
  public mutating func beginCycle() {
    takeWishes()
    if rules.relocationDelay < 2 { takeRelocation() }
    frame = pendingFrame
    isNewPosition = false
    isWiped = rules.wipesPosition && isRelocating && wipes && motion != .rolling
    let news = command != lastCommand ? command : nil
    lastCommand = command
    switch motion {
    case .stopped:
      if news == .start { wait(as: .starting) } else if isRelocating { wait(as: .stopped) }
    case .starting:
      if news == .stop {
        rest()
      } else if isRelocating {
        wait(as: .starting)
      } else {
        cyclesLeft -= 1
        if cyclesLeft == 0 || (weAreReady && slowClients.allSatisfy { $0.left == 0 }) { roll() }
      }
    case .rolling:
      if news == .stop { rest() } else if isRelocating { wait(as: .starting) }
    }
    if motion == .rolling { pendingFrame = frame + period }
    // The position shows in the next cycle, and it is then that clients are asked.
    if rules.relocationDelay == 2 { takeRelocation() }
    for index in slowClients.indices {
      if let left = slowClients[index].left, left > 0 { slowClients[index].left = left - 1 }
    }
  }

  /// Our answer when we are asked.
  private mutating func answer(isReady: Bool) {
    guard isSyncCallback, isReady else { return }
    isSyncCallback = false
    weAreReady = true
  }

  /// Takes what a cycle of our client answers and asks for.
  public mutating func carryOut(_ decision: Decision) {
    answer(isReady: !decision.holdsStart)
    switch decision.transport {
    case .none: break
    case .start: wish(.start)
    case .stop: wish(.stop)
    case .relocate(let frame):
      // With what was last read there.
      locate(to: frame)
      wipes = false
    case .locate(let frame): locate(to: frame)
    }
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
      pendingFrame = request
      isRelocated = true
    }
    request = nil
  }

  private mutating func roll() {
    motion = .rolling
    if !isRelocated { frame = frame + period &* rules.rollOffset }
    isRelocated = false
  }

  private mutating func wait(as motion: TransportState) {
    self.motion = motion
    isNewPosition = true
    isSyncCallback = true
    weAreReady = false
    cyclesLeft = timeout
    for index in slowClients.indices { slowClients[index].left = slowClients[index].needs.map { $0 + 1 } }
  }

  private mutating func rest() {
    motion = .stopped
    isSyncCallback = false
  }
}
