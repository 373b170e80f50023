import JACK
import MusicalTime
import Testing

@testable import Bridge

@Suite struct StandstillWatchTests {
  private func time(_ milliseconds: Int64) -> HostTime<LinkClock> {
    HostTime(nanoseconds: milliseconds * 1_000_000)
  }

  @Test func `Cycles that stop are reported once, and that they go on, once`() {
    var watch = StandstillWatch()
    for now in stride(from: Int64(0), to: 9000, by: 1000) {
      #expect(watch.look(time(now), at: time(now)) == nil)
    }
    var news: [StandstillWatch.News?] = []
    for now in stride(from: Int64(9000), through: 15_000, by: 1000) {
      news.append(watch.look(time(8000), at: time(now)))
    }
    #expect(news == [nil, nil, .stopped, nil, nil, nil, nil])
    #expect(watch.isStopped)
    #expect(watch.look(time(15_500), at: time(16_000)) == .goesOn)
    #expect(!watch.isStopped && watch.look(time(16_500), at: time(17_000)) == nil)
  }

  @Test func `A server that never begins is one that has stopped`() {
    var watch = StandstillWatch()
    let looks = stride(from: Int64(100_000), through: 104_000, by: 250).map {
      watch.look(time(0), at: time($0))
    }
    #expect(looks.compactMap(\.self) == [.stopped])
  }

  /// A server at 48 kHz that is `milliseconds` old, and has counted as many times as fast as the clock.
  private func server(
    _ milliseconds: Int64, times speed: Double = 1, xruns: Int = 0
  ) throws -> StandstillWatch.Server {
    StandstillWatch.Server(
      pace: ServerPace(
        frame: ServerFrame(UInt32(Double(milliseconds) * 48 * speed)),
        time: HostTime(nanoseconds: milliseconds * 1_000_000), isRealtime: true),
      rate: try #require(SampleRate(hertz: 48_000)), xruns: xruns)
  }

  @Test(
    "A client that has no cycles while its server counts on is left out, and that is known within a second")
  func leftOut() throws {
    var watch = StandstillWatch()
    #expect(watch.look(time(0), at: time(0), server: try server(0)) == nil)
    var news: [Int64] = []
    for now in stride(from: Int64(250), through: 1000, by: 250)
    where watch.look(time(0), at: time(now), server: try server(now)) == .leftOut {
      news.append(now)
    }
    #expect(news == [750])
    #expect(watch.isSilent)
  }

  @Test("It is not left out while the server counts faster, misses deadlines, stands, or while it has cycles")
  func notLeftOut() throws {
    for speed in [0, 0.5, 20] {
      var watch = StandstillWatch()
      for now in stride(from: Int64(0), through: 2500, by: 250) {
        #expect(watch.look(time(0), at: time(now), server: try server(now, times: speed)) == nil)
      }
    }
    var (hung, running) = (StandstillWatch(), StandstillWatch())
    for now in stride(from: Int64(0), through: 2500, by: 250) {
      #expect(hung.look(time(0), at: time(now), server: try server(now, xruns: Int(now))) == nil)
      #expect(running.look(time(now), at: time(now), server: try server(now)) == nil)
      #expect(!running.isSilent)
    }
  }

  @Test("A bridge that was stopped itself reports nothing of JACK before it has looked for as long again")
  func stoppedOurselves() {
    var watch = StandstillWatch()
    #expect(watch.look(time(0), at: time(0)) == nil)
    #expect(watch.look(time(0), at: time(60_000)) == nil)
    #expect(watch.look(time(0), at: time(61_000)) == nil)
    #expect(watch.look(time(61_500), at: time(62_000)) == nil)
  }
}
