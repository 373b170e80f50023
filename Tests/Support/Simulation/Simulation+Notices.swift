import MusicalTime
import Reconciliation

// The notices, compared with the events.

extension Simulation {
  /// How long after a press has reached the session of the bridge it is reported at the latest.
  private static let longestSilence = HostInterval.seconds(1)

  func lookAtReports(_ decision: Decision) {
    lookAtLeader()
    for notice in decision.notices + bridge.reports {
      switch notice {
      case .transport(let notice): lookAt(notice)
      case .grid(let notice): lookAt(notice)
      }
    }
    // One that changes nothing shows by its time alone, which a grid that the bridge has made hides.
    if let press = record.untoldPress, !session.hasUnheardPress,
      now - max(press.time, session.lastHeard, press.isChange ? press.time : record.lastGridChange)
        > Simulation.longestSilence
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

  /// The bridge knows which side leads.
  private func lookAtLeader() {
    let excuse = untilLeaderIsKnown ?? Excuse.freewheel.when(isRendering)
    guard isDue(.leaderShown, unless: excuse) else { return }
    let shown = bridge.reconciler.leader
    if shown != leader { violate(.leaderShown, "\(shown) is shown, and \(leader) leads") }
  }

  private func lookAt(_ notice: GridNotice) {
    switch notice {
    case .silentOwner: record.isSilenceTold = true
    case .tempoWaits: record.isDifferenceTold = true
    case .differentTempos:
      record.isDifferenceTold = true
      if mode == .jack, bridge.requests.isEmpty { violate(.differenceTold, "but JACK is to have its way") }
    default: break
    }
  }
}
