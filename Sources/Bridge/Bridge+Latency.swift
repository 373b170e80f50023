import JACK
import MusicalTime
import Reconciliation

// The output latency that the cycle goes by.

/// A server's output latency, as far as it is known.
struct LatencyState {
  /// The latency that is made up for; `nil` as long as none is known.
  var output: HostInterval?
  /// The delay for which beats are published: `nil` as long as none were.
  var delay: OutputDelay?
  /// Which clients make up for it themselves.
  var convention = OutputConvention()
  /// Whether there is the port whose output latency counts; `nil` as long as that is unchecked.
  var hasPort: Bool?
}

extension Bridge {
  /// Has the cycle go by the output latency and the offset as they are now.
  ///
  /// - Parameter isChosen: Whether the user has changed one of them: then it is no step.
  func updateLatency(isChosen: Bool = false) {
    guard let current = connection else { return }
    let client = current.client
    let latency =
      switch configuration.latency {
      case .none: HostInterval.zero
      case .fixed(let interval): interval
      case .automatic: automaticLatency(client)
      case .port(let name): portLatency(name, client)
      }
    updateClickLead(client)
    updateDelay(latency - configuration.offset.interval, isChosen: isChosen)
    guard latency != current.latency.output else { return }
    current.latency.output = latency
    report.yield(.latencyChanged(latency))
  }

  private func updateDelay(_ total: HostInterval, isChosen: Bool) {
    let before = connection?.latency.delay
    var delay = before ?? OutputDelay(total)
    if isChosen { delay.userChose(total) } else { delay.serverChanged(to: total) }
    guard delay != before else { return }
    connection?.latency.delay = delay
    connection?.channels.orders.delay.writer.write(delay)
  }

  private func portLatency(_ name: String, _ client: ActiveClient) -> HostInterval {
    let frames = client.playbackLatency(of: name)
    if frames == nil, connection?.latency.hasPort != false { report.yield(.noLatencyPort(name)) }
    connection?.latency.hasPort = frames != nil
    return frames.map { HostInterval($0, at: client.sampleRate) } ?? automaticLatency(client)
  }

  /// Where the latency is left to JACK clients, the click is one that makes up for it itself.
  private func updateClickLead(_ client: ActiveClient) {
    guard configuration.click.mode != .off else { return }
    let isLeft =
      switch configuration.latency {
      case .none: true
      case .fixed: false
      case .port where connection?.latency.hasPort == true: false
      case .automatic, .port: connection?.latency.convention.leavesLatencyToClients ?? false
      }
    connection?.channels.orders.clickLead.writer.write(isLeft ? knownLatency(client) : .zero)
  }

  /// The output latency as JACK knows it.
  private func knownLatency(_ client: ActiveClient) -> HostInterval {
    HostInterval(client.largestPlaybackLatency() ?? FrameCount(0), at: client.sampleRate)
  }

  private func automaticLatency(_ client: ActiveClient) -> HostInterval {
    let convention = OutputConvention(
      of: client.heardClients(), compensating: configuration.compensatingClients)
    if let before = connection?.latency.convention, !convention.isLike(before) {
      report.yield(.outputConvention(convention))
    }
    connection?.latency.convention = convention
    return convention.leavesLatencyToClients ? .zero : knownLatency(client)
  }
}
