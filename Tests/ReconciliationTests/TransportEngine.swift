import Reconciliation

/// JACK's transport by the rules of jackd2: when it takes what is asked of it, and how long it waits.
struct TransportEngine {
  /// A client that takes its time whenever the transport starts or is relocated.
  struct SlowClient {
    /// The cycles it needs; `nil` for one that is never ready.
    var needs: Int?
    fileprivate var left: Int?

    init(needs: Int?) { self.needs = needs }
  }

  enum Command { case start, stop }

  private(set) var motion = TransportMotion.stopped
  /// The position in this cycle.
  private(set) var frame: UInt32 = 0
  /// The position of the next cycle, which the timebase owner is asked about.
  private(set) var pendingFrame: UInt32 = 0
  /// Whether the timebase owner is asked because of a new position.
  private(set) var isNewPosition = false
  /// Whether our client is asked if it is ready.
  private(set) var awaitsUs = false
  var slowClients: [SlowClient] = []
  var period: UInt32
  /// The cycles a start may be held.
  var timeout = 100_000

  private var request: UInt32?
  private var isRelocating = false
  private var command = Command.stop
  private var lastCommand = Command.stop
  private var weAreReady = true
  private var cyclesLeft = 0

  init(period: UInt32) { self.period = period }

  mutating func start() { command = .start }
  mutating func stop() { command = .stop }
  mutating func locate(to frame: UInt32) { request = frame }

  /// The beginning of a cycle, when the server takes what was asked during the last one.
  mutating func beginCycle() {
    frame = pendingFrame
    isNewPosition = false
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
        if cyclesLeft == 0 || (weAreReady && slowClients.allSatisfy { $0.left == 0 }) { motion = .rolling }
      }
    case .rolling:
      if news == .stop { rest() } else if isRelocating { wait(as: .starting) }
    }
    if motion == .rolling { pendingFrame = frame &+ period }
    // The position shows in the next cycle, and it is then that clients are asked.
    isRelocating = request != nil
    if let request { pendingFrame = request }
    request = nil
    for index in slowClients.indices {
      if let left = slowClients[index].left, left > 0 { slowClients[index].left = left - 1 }
    }
  }

  /// Our answer when we are asked.
  mutating func answer(isReady: Bool) {
    guard awaitsUs, isReady else { return }
    awaitsUs = false
    weAreReady = true
  }

  private mutating func wait(as motion: TransportMotion) {
    self.motion = motion
    isNewPosition = true
    awaitsUs = true
    weAreReady = false
    cyclesLeft = timeout
    for index in slowClients.indices { slowClients[index].left = slowClients[index].needs.map { $0 + 1 } }
  }

  private mutating func rest() {
    motion = .stopped
    awaitsUs = false
  }
}
