import MusicalTime
import Testing

@testable import Bridge

@Suite struct SuspendWatchTests {
  @Test func `A sleep is reported once, however often the watch looks`() {
    var watch = SuspendWatch()
    let before = HostInterval.seconds(7200)
    #expect(watch.look(before) == nil)
    #expect(watch.look(before + HostInterval.milliseconds(1)) == nil)
    #expect(
      watch.look(before + HostInterval.seconds(3600))
        == HostInterval.seconds(3600))
    #expect(watch.look(before + HostInterval.milliseconds(3600001)) == nil)
    #expect(
      watch.look(before + HostInterval.seconds(3602))
        == HostInterval.seconds(2))
  }

  @Test func `A reading that came too late reports no sleep, and hides none`() {
    var watch = SuspendWatch()
    #expect(watch.look(nil) == nil)
    #expect(watch.look(.zero) == nil)
    #expect(watch.look(nil) == nil)
    #expect(watch.look(HostInterval.seconds(5)) == HostInterval.seconds(5))
  }

  @Test func `Readings of a machine that is awake agree`() throws {
    var watch = SuspendWatch()
    let readings = (0..<100).compactMap { _ in SuspendWatch.total() }
    #expect(readings.count > 50)
    #expect(readings.allSatisfy { watch.look($0) == nil })
  }
}
