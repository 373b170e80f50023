import JACK
import Reconciliation

// Who owns JACK's timebase, and whose it is to be.

extension Bridge {
  /// Has the keeper of the timebase take note, and does what it says.
  func happened(_ event: TimebaseKeeper.Event) {
    guard let current = connection else { return }
    let status = current.channels.status.reader.read()
    let tally = current.channels.grants?.tally.reader.read()
    let view = TimebaseKeeper.View(
      transport: status.transport, tally: tally ?? TimebaseTally(silentCycles: status.silentCycles))
    guard let outcome = connection?.keeper.take(event, seeing: view) else { return }
    if outcome.news == .retaken { report.yield(.timebaseRetaken) }
    if outcome.news != nil { report.yield(.timebaseTaken) }
    if case .answered = event, let told = connection?.keeper.told {
      current.channels.owner.writer.write(told)
    }
    request(outcome.action)
  }

  /// Asks the server, which may take its time.
  func request(_ action: TimebaseAction) {
    guard let current = connection, action != .none else { return }
    let (client, grants) = (current.client, current.channels.grants)
    let before = grants?.tally.reader.read()
    Task {
      let answer = await requests.carryOut(action, for: client, refuses: grants == nil)
      // It may be of a server that has gone meanwhile.
      guard connection?.client === client else { return }
      if let grants, let before { grants.latest.writer.write(before.questions) }
      happened(.answered(answer))
    }
  }
}
