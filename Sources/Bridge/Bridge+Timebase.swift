import JACK
import Reconciliation

// Who owns JACK's timebase, and whose it is to be.

extension Bridge {
  /// Has the next cycle carry out a command, and tells what became of it.
  public func send(_ command: Command) -> CommandOutcome {
    guard let connection else {
      guard case .select(let wanted) = command else { return isStandingBy ? .anothers : .noServer }
      selection = wanted
      return isStandingBy ? .keptForLater : .kept
    }
    guard connection.channels.commands.writer.push(command) else { return .tooMany }
    if case .select(let wanted) = command { selection = wanted }
    checkTimebase()
    return .taken
  }
}

extension Bridge {
  /// Looks who owns the timebase, and does what is to be done about it.
  func checkTimebase() { request(errand) }

  private var errand: TimebaseErrand {
    guard let connection else { return .none }
    let status = connection.channels.status.reader.read()
    return TimebaseErrand(
      selection, configuration.reconciler.takeover, owner: connection.owner, while: status.transport,
      silentCycles: status.silentCycles)
  }

  /// Has the server asked about the timebase. One question is under way at a time; what comes up meanwhile is asked
  /// once, when there is the answer.
  func request(_ errand: TimebaseErrand) {
    guard let client = connection?.client, errand != .none else { return }
    guard connection?.timebaseRequest == TimebaseRequest.none else {
      connection?.timebaseRequest = .wantedAgain
      return
    }
    connection?.timebaseRequest = .underWay
    Task { take(await requests.carryOut(errand, for: client), from: client) }
  }

  private func take(_ answer: TimebaseAnswer, from client: ActiveClient) {
    // It may be of a server that has gone meanwhile.
    guard let request = connection?.timebaseRequest, connection?.client === client else { return }
    connection?.timebaseRequest = .none
    switch answer {
    case .ours: setOwner(.me)
    case .retaken:
      // It was another's, which the cycle and people may not have known.
      setOwner(.other)
      report.yield(.timebaseRetaken)
      setOwner(.me)
    case .anothers: setOwner(.other)
    case .nobodys: setOwner(.nobody)
    case .unknown: break
    }
    guard request == .wantedAgain else { return }
    let next = errand
    self.request(next == .none && connection?.owner == .me ? .ask : next)
  }

  private func setOwner(_ owner: TimebaseOwner) {
    if owner == .me, connection?.owner != .me { report.yield(.timebaseTaken) }
    connection?.owner = owner
    connection?.channels.owner.writer.write(owner)
  }

  /// JACK asks its timebase owner nothing while the transport rests, so what is new has to be offered: a tempo, or where
  /// it rests after a start that was taken back.
  func publishTempo() {
    if connection?.owner == .me { request(.ask) }
  }
}
