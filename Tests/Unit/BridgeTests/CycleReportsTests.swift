import MusicalTime
import Reconciliation
import Testing

@testable import Bridge

/// The cycles' notices and conditions become events.
@Suite struct CycleReportsTests {
  private let time = HostTime<LinkClock>(nanoseconds: 1_000_000_000)
  private let now = ContinuousClock.now

  @Test func `A press is an event at once, a start when its line is due`() {
    var reports = CycleReports()
    #expect(reports.take(.notice(.transport(.peerPressedPlay)), at: time) == .transport(.peerPressedPlay))
    #expect(reports.take(.transportStarted, at: time) == nil)
    #expect(reports.transport(at: now) == .transportStarted)
    #expect(reports.due(CycleStatus(), xruns: 0, at: time, now) == [])
  }

  @Test func `A leader is a change once`() {
    var reports = CycleReports()
    let changes = [Leader.link, .jack, .jack, .link].map { reports.leaderHasChanged(to: $0) }
    #expect(changes == [false, true, false, true])
  }

  @Test func `Lost notices and missed deadlines are counted from the last report on`() {
    var reports = CycleReports()
    var status = CycleStatus()
    status.counts.lostNotices = 3
    #expect(
      reports.due(status, xruns: 2, at: time, now)
        == [.noticesLost(3), .xruns(Xruns(count: 2, period: nil, total: 2))])
    #expect(reports.due(status, xruns: 2, at: time, now) == [])
    status.counts.lostNotices = 4
    #expect(reports.due(status, xruns: 2, at: time, now) == [.noticesLost(1)])
  }
}
