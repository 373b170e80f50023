import JACK
import Reconciliation

// The owner of JACK's timebase, and requests for it.

extension Bridge {
  /// Passes an event to the keeper of the timebase, and carries out its action.
  ///
  /// - Parameters:
  ///   - event: The event.
  ///   - questions: How often JACK had asked the bridge for a position before the request that is answered.
  func happened(_ event: TimebaseKeeper.Event, questions: Int? = nil) {
    guard let current = connection else { return }
    let status = current.status
    let tally = current.channels.grants?.tally.reader.read()
    let view = TimebaseKeeper.View(
      mode: choices.mode, tempoSync: choices.tempoSync, transport: status.jack.transport,
      tally: tally ?? TimebaseTally(silentCycles: status.counts.silentCycles))
    let outcome = current.keeper.take(event, seeing: view)
    if let questions { current.grant.questions = questions }
    current.grant.isDisproved = current.keeper.isDisproved
    current.channels.grants?.latest.writer.write(current.grant)
    if outcome.news == .retaken { report.yield(.timebaseRetaken) }
    if outcome.news != nil { report.yield(.timebaseTaken) }
    if case .answered = event { current.channels.orders.owner.writer.write(current.keeper.told) }
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
      happened(.answered(answer), questions: before?.questions)
    }
  }
}
