import JACK
import MusicalTime
import Testing

@testable import Bridge

@Suite struct RenderWatchTests {
  /// The finding for a server that counts in periods, so many times as fast as the clock, and when, in
  /// milliseconds.
  private func found(
    period: Double, times speed: Double, isRealtime: Bool = false
  ) throws -> (finding: RenderWatch.Finding, after: Int64) {
    var watch = RenderWatch()
    let rate = try #require(SampleRate(hertz: 48_000))
    for now in Int64(0)..<5000 {
      let frame = (Double(now) * 48 * speed / period).rounded(.down) * period
      let finding = watch.look(
        ServerPace(
          frame: ServerFrame(UInt32(frame)), time: HostTime(nanoseconds: now * 1_000_000),
          isRealtime: isRealtime), at: rate)
      if finding != .unknown { return (finding, now) }
    }
    return (.unknown, 5000)
  }

  @Test(
    "A server whose frames go with the clock keeps time, whatever its period, and one in real time does at once"
  )
  func keepsTime() throws {
    for period in [16.0, 64, 256, 1024, 8192] {
      #expect(try found(period: period, times: 1).finding == .keepsTime, "\(period)")
    }
    #expect(try found(period: 256, times: 1).after < 150)
    #expect(try found(period: 256, times: 1, isRealtime: true) == (.keepsTime, 0))
  }

  @Test(arguments: [0.25, 0.5, 2, 20, 2000])
  func `A server whose frames are faster or slower than the clock renders`(speed: Double) throws {
    #expect(try found(period: 256, times: speed).finding == .renders)
  }

  @Test func `A server whose frames stand still does not freewheel: it hangs, or has not begun`() throws {
    #expect(try found(period: 256, times: 0).finding == .keepsTime)
  }
}
