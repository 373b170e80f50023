import JACK
import Reconciliation

// Who owns JACK's timebase, and whose it is to be.

extension Bridge {
  /// Has the keeper of the timebase take note, and does what it says.
  func happened(_ event: TimebaseKeeper.Event) {
    guard let current = connection else { return }
    let status = current.channels.status.reader.read()
    let view = TimebaseKeeper.View(transport: status.transport, silentCycles: status.silentCycles)
    guard let outcome = connection?.keeper.take(event, seeing: view) else { return }
    if outcome.news == .retaken { report.yield(.timebaseRetaken) }
    if outcome.news != nil { report.yield(.timebaseTaken) }
    if case .answered = event, let owner = connection?.keeper.owner {
      current.channels.owner.writer.write(owner)
    }
    request(outcome.action)
  }

  /// Asks the server, which may take its time.
  func request(_ action: TimebaseAction) {
    guard let client = connection?.client, action != .none else { return }
    Task {
      let answer = await requests.carryOut(action, for: client)
      // It may be of a server that has gone meanwhile.
      if connection?.client === client { happened(.answered(answer)) }
    }
  }
}
