import JACK
import Reconciliation

// Who owns JACK's timebase, and whose it is to be.

extension Bridge {
  /// Has the next cycle carry out a command; false when there is no JACK server, or too many wait.
  public func send(_ command: Command) -> Bool {
    if case .select(let wanted) = command { selection = wanted }
    guard connection?.channels.commands.writer.push(command) == true else { return false }
    checkTimebase()
    return true
  }
}

extension Bridge {
  /// Looks who owns the timebase, and does what is to be done about it.
  func checkTimebase() {
    guard let current = connection else { return }
    let status = current.channels.status.reader.read()
    let errand = TimebaseErrand(
      selection, configuration.reconciler.takeover, owner: current.owner, while: status.transport,
      silentCycles: status.silentCycles)
    switch errand {
    case .none: break
    case .ask: askForTimebase()
    case .retake:
      if askForTimebase() { return }
      report.yield(.timebaseRetaken)
      setOwner(isOurs: (try? current.client.takeTimebase(conditionally: false)) ?? false)
    case .release:
      try? current.client.releaseTimebase()
      connection?.owner = .nobody
      connection?.channels.owner.writer.write(.nobody)
    }
  }

  /// Takes the timebase if nobody has it, and returns whether it is ours. As the owner, has JACK ask once more what to
  /// publish, which changes nothing else, and finds out on the way whether somebody took it from us: JACK does not tell.
  @discardableResult
  func askForTimebase() -> Bool {
    guard let client = connection?.client, let isOurs = try? client.takeTimebase(conditionally: true) else {
      return false
    }
    setOwner(isOurs: isOurs)
    return isOurs
  }

  private func setOwner(isOurs: Bool) {
    let owner = isOurs ? TimebaseOwner.me : .other
    if isOurs, connection?.owner != .me { report.yield(.timebaseTaken) }
    connection?.owner = owner
    connection?.channels.owner.writer.write(owner)
  }

  /// JACK asks its timebase owner nothing while the transport rests, so what is new has to be offered: a tempo, or where
  /// it rests after a start that was taken back.
  func publishTempo() {
    if connection?.owner == .me { askForTimebase() }
  }
}
