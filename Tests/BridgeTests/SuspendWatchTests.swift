import MusicalTime
import Testing

@testable import Bridge

@Suite struct SuspendWatchTests {
  @Test("What was slept is told once, however often it is looked")
  func toldOnce() {
    var watch = SuspendWatch()
    let before = HostInterval(nanoseconds: 7_200_000_000_000)
    #expect(watch.look(before) == nil)
    #expect(watch.look(before + HostInterval(nanoseconds: 1_000_000)) == nil)
    #expect(
      watch.look(before + HostInterval(nanoseconds: 3_600_000_000_000))
        == HostInterval(nanoseconds: 3_600_000_000_000))
    #expect(watch.look(before + HostInterval(nanoseconds: 3_600_001_000_000)) == nil)
    #expect(
      watch.look(before + HostInterval(nanoseconds: 3_602_000_000_000))
        == HostInterval(nanoseconds: 2_000_000_000))
  }

  @Test("A reading that came too late tells nothing, and hides nothing")
  func noReading() {
    var watch = SuspendWatch()
    #expect(watch.look(nil) == nil)
    #expect(watch.look(.zero) == nil)
    #expect(watch.look(nil) == nil)
    #expect(watch.look(HostInterval(nanoseconds: 5_000_000_000)) == HostInterval(nanoseconds: 5_000_000_000))
  }

  @Test("Readings of a machine that is awake agree")
  func readings() throws {
    var watch = SuspendWatch()
    let readings = (0..<100).compactMap { _ in SuspendWatch.total() }
    #expect(readings.count > 50)
    #expect(readings.allSatisfy { watch.look($0) == nil })
  }
}
