import AbletonLink
import Dispatch
import JACK
import MusicalTime
import Reconciliation

// Starts and stops as far as they are the slow half's business.

extension Bridge {
  /// How often what JACK clients will read when a start is due is published anew.
  private static let launchRefresh = DispatchTimeInterval.milliseconds(8)
  /// How long the transport waits for slow clients, beyond what a quantised start can take. JACK's own default.
  static let slowClients = HostInterval(nanoseconds: 10_000_000_000)

  /// Whether the session plays, as the network has it.
  var playState: PlayState {
    let state = link.captureSessionState()
    return PlayState(
      isPlaying: state.isPlaying, time: state.timeForIsPlaying, beat: state.beatForIsPlaying)
  }

  func publishPlayState() {
    connection?.channels.play.writer.write(playState)
    reportNotices()
  }

  /// How long JACK is to wait for us: as long as a quantised start can take. JACK does not tell what the timeout was:
  /// when we leave, it is JACK's default again.
  var longestHold: HostInterval { configuration.reconciler.longestHold + Bridge.slowClients }

  /// Keeps what JACK clients read in the first rolling cycle exact: JACK asks its timebase owner about it once, when the
  /// start is planned, and what was true then is some microseconds off when it rolls.
  func attendToLaunch() {
    connection?.isLaunching = false
    guard let current = connection, current.owner == .me,
      let start = current.channels.status.reader.read().launch
    else { return }
    connection?.isLaunching = true
    let period = HostInterval(FrameCount(Int64(current.client.bufferSize)), at: current.client.sampleRate)
    let wait = start - link.now() - PendingLaunch.refreshLead(period: period)
    guard wait <= .zero else {
      // It may be planned anew meanwhile, and every plan rings.
      let interval = DispatchTimeInterval.nanoseconds(Int(min(wait.nanoseconds, 100_000_000)))
      return attendToLaunch(after: interval)
    }
    request(.ask)
    attendToLaunch(after: Bridge.launchRefresh)
  }

  private func attendToLaunch(after interval: DispatchTimeInterval) {
    queue.run(after: interval) { [weak self] in self?.assumeIsolated { $0.attendToLaunch() } }
  }
}
