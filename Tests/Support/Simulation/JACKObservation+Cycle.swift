import MusicalTime
import Reconciliation

extension JACKObservation {
  /// The observation of a test's own cycle, of a server at the standard rate: the next cycle follows as soon
  /// as this one has lasted.
  public static func cycle(
    _ transport: TransportState, at frame: TransportFrame = 0, period: UInt32,
    counted serverFrame: ServerFrame = 0, from start: HostTime<LinkClock>, lasting length: HostInterval,
    latency: HostInterval = .zero, seenBy watch: inout TransportWatch, owner: TimebaseOwner = .me,
    position: TimebaseReading? = nil,
    isSyncCallback: Bool = false, isFreewheeling: Bool = false
  ) -> JACKObservation {
    JACKObservation(
      transport: transport, frame: frame,
      step: watch.observe(transport, at: frame, counted: serverFrame, period: period), period: period,
      rate: .standard, serverFrame: serverFrame,
      start: start, nextOutput: start + length + latency, outputLatency: latency, owner: owner,
      position: position, isSyncCallback: isSyncCallback, isFreewheeling: isFreewheeling)
  }
}
