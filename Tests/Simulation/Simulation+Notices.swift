import MusicalTime
import Reconciliation

// The notices, compared with the events.

extension Simulation {
  /// How long a press may take to us: messages are lost, and sent again.
  private static let longestWay = HostInterval.seconds(3)

  func lookAt(_ notices: Notices) {
    if isDue(.nothingLost, unless: nil), notices.lost > 0 { violate(.nothingLost, "\(notices.lost) were") }
    if leader != .jack, isLeaderKnown { record.isLeadTold = false }
    for notice in notices.all {
      switch notice {
      case .transport(let notice): lookAt(notice)
      case .grid(let notice): lookAt(notice)
      }
    }
    // One that changes nothing shows by its time alone, which a grid that the bridge has made hides.
    if let press = record.untoldPress,
      now - max(press.time, press.isChange ? press.time : record.lastGridChange) > Simulation.longestWay
    {
      violate(.pressesTold, "\(press.isPlaying ? "play" : "stop") was pressed \(now - press.time) ago")
    }
  }

  private func lookAt(_ notice: TransportNotice) {
    switch notice {
    case .peerPressedPlay, .peerPressedStop:
      if !isCalm(for: 5, since: record.lastCompany) { break }
      violate(.pressesTold, "a peer's is, and nobody has been there")
    default: break
    }
    guard let press = record.untoldPress else { return }
    switch notice {
    case .peerPressedPlay where press.isPlaying, .peerPressedStop where !press.isPlaying,
      .pressIgnored(isPlaying: press.isPlaying):
      ledger.count(.pressesTold, nil)
      record.untoldPress = nil
    default: break
    }
  }

  private func lookAt(_ notice: GridNotice) {
    switch notice {
    case .jackLeads:
      record.isLeadTold = true
      // For a cycle or two PipeWire shows the bridge's own position of before a user's choice. A server that waits
      // for a client that hangs answers later.
      let excuse = recent(.event, 1, since: record.lastSelection) ?? recent(.hang, 1, since: hangEnds)
      if isDue(.leadTold, unless: excuse), record.lastAnothers.map({ isCalm(for: 1, since: $0) }) ?? true {
        violate(.leadTold, "\(notice) is, and no other client owns the timebase")
      }
    case .silentOwner: record.isSilenceTold = true
    case .tempoWaits: record.isDifferenceTold = true
    case .differentTempos, .folded, .imposed, .declaresAnotherTempo:
      if case .differentTempos = notice {
        record.isDifferenceTold = true
        if mode == .jack, bridge.requests.isEmpty {
          violate(.differenceTold, "but JACK is to have its way")
        }
      }
      if isDue(.leadTold, unless: nil), !record.isLeadTold { violate(.leadTold, "\(notice) is") }
    case .linkLeads, .neitherLeads: record.isLeadTold = false
    case .fault, .noPosition, .tempoIsJACKs, .rendering, .renderingEnded,
      .phaseImposed, .nothingToImpose, .tempoKept, .tempoIsNotSent, .downbeatShifted, .downbeatIsOwners:
      break
    }
  }
}
