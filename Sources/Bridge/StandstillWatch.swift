import JACK
import MusicalTime

/// Notices that the client's cycles have stopped, which JACK reports to no client: a sound card has gone, the server
/// hangs, or it goes on and has left the client out.
struct StandstillWatch: Sendable {
  /// A change to report.
  enum News: Sendable, Equatable {
    /// There has been no cycle for as long as no server needs for one.
    case stopped
    /// There is one again.
    case goesOn
    /// There is none, while the server counts on as the clock does.
    case leftOut
  }

  /// The server's own counts, where it has them.
  struct Server: Sendable {
    /// How far it has counted.
    var pace: ServerPace
    /// Its rate.
    var rate: SampleRate
    /// How many deadlines were missed: where a client hangs, all are, and no client has a cycle.
    var xruns: Int
  }

  /// How long there may be none.
  static let patience = HostInterval.seconds(3)
  /// The longest interval between two looks that count: a bridge that was stopped itself has had no cycles,
  /// too.
  private static let longestGap = HostInterval.milliseconds(2500)

  /// For how long a server counts on before the client is left out. Cycles report themselves each 250 ms.
  private static let absence = HostInterval.milliseconds(600)
  /// How much faster or slower than the clock a server counts that keeps time.
  private static let tolerance = 0.8...1.25

  /// Whether there has been no cycle for longer than cycles take to report themselves.
  private(set) var isSilent = false
  private var reference: Server?
  /// Whether they have stopped.
  private(set) var isStopped = false
  private var last: HostTime<LinkClock>?
  private var since = HostTime<LinkClock>(nanoseconds: 0)
  private var looked = HostTime<LinkClock>(nanoseconds: 0)

  /// A watch that has not looked yet.
  init() {}

  /// Looks whether there was a cycle.
  ///
  /// - Parameters:
  ///   - cycle: The time of the latest cycle, which differs in each cycle.
  ///   - now: When that is.
  ///   - server: The server's own counts.
  /// - Returns: The change; `nil` when there is none.
  mutating func look(
    _ cycle: HostTime<LinkClock>, at now: HostTime<LinkClock>, server: Server? = nil
  ) -> News? {
    defer { looked = now }
    guard cycle == last else {
      last = cycle
      since = now
      isSilent = false
      reference = server
      defer { isStopped = false }
      return isStopped ? .goesOn : nil
    }
    if now - looked > StandstillWatch.longestGap {
      since = now
      reference = nil
    }
    isSilent = now - since >= StandstillWatch.absence
    if isLeftOut(server) { return .leftOut }
    guard !isStopped, now - since >= StandstillWatch.patience else { return nil }
    isStopped = true
    return .stopped
  }

  /// Whether the server has counted on as the clock does, and missed no deadline, for long enough.
  private mutating func isLeftOut(_ server: Server?) -> Bool {
    guard let server, let before = reference else {
      reference = server
      return false
    }
    let passed = server.pace.time - before.pace.time
    guard passed >= StandstillWatch.absence else { return false }
    reference = server
    let counted = HostInterval(
      FrameCount(Int64(server.pace.frame.frames(since: before.pace.frame))), at: server.rate)
    return server.xruns == before.xruns
      && StandstillWatch.tolerance.contains(counted.seconds / passed.seconds)
  }
}
