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
  /// How many rolling cycles without being asked for a position show that another client took the timebase.
  private static let silence = 4

  /// Looks who owns the timebase, and takes it where it is ours to take.
  func checkTimebase() {
    guard let current = connection else { return }
    let status = current.channels.status.reader.read()
    switch selection {
    case .auto, .link:
      let isPublishing = status.transport.isRolling && status.silentCycles < Bridge.silence
      guard current.owner != .me || !isPublishing else { return }
      if askForTimebase() || !retakes { return }
      report.yield(.timebaseRetaken)
      setOwner(isOurs: (try? current.client.takeTimebase(conditionally: false)) ?? false)
    case .jack:
      // Never taken, and given up as soon as that disturbs nobody.
      guard current.owner == .me else { return }
      if status.silentCycles >= Bridge.silence, status.transport.isRolling {
        return setOwner(isOurs: askForTimebase())
      }
      guard !status.transport.isPlaying else { return }
      try? current.client.releaseTimebase()
      connection?.owner = .nobody
      connection?.channels.owner.writer.write(.nobody)
    }
  }

  private var retakes: Bool {
    selection != .jack && Takeover(configuration.reconciler.takeover, while: selection) == .retake
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

  /// JACK asks its timebase owner nothing while the transport rests, so a new tempo has to be offered.
  func publishTempo() {
    if connection?.owner == .me { askForTimebase() }
  }
}
