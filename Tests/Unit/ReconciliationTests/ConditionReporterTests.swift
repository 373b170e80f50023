import MusicalTime
import Testing

@testable import Reconciliation

/// The one rule by which conditions become lines.
@Suite struct ConditionReporterTests {
  private static let origin = HostTime<LinkClock>(nanoseconds: 1_000_000_000_000)

  /// When a reporter that looks each 50 ms reports, in seconds, and the notice.
  private static func lines(
    seconds: Double, _ condition: (Double) -> Conditions
  ) -> [(time: Double, notice: Notice)] {
    var reporter = ConditionReporter()
    var lines: [(time: Double, notice: Notice)] = []
    for step in 0...Int(seconds * 20) {
      let time = Double(step) / 20
      let now = origin + HostInterval(nanoseconds: Int64(time * 1e9))
      while let notice = reporter.due(condition(time), at: now) { lines.append((time, notice)) }
    }
    return lines
  }

  private static func silent(_ isSilent: Bool) -> Conditions {
    var conditions = Conditions()
    conditions.owner = isSilent ? .silentOwner : nil
    return conditions
  }

  @Test func `A condition is reported once, when it has held for a second`() {
    #expect(Self.lines(seconds: 60) { Self.silent($0 >= 1) }.map(\.time) == [2])
    #expect(Self.lines(seconds: 60) { Self.silent($0.truncatingRemainder(dividingBy: 2) < 0.9) }.isEmpty)
  }

  @Test func `A condition that comes back is reported again, but not within three seconds`() {
    let soon = Self.lines(seconds: 20) { Self.silent($0 < 2 || $0 >= 2.5) }
    #expect(soon.map(\.time) == [1, 4])
    let late = Self.lines(seconds: 20) { Self.silent($0 < 2 || $0 >= 10) }
    #expect(late.map(\.time) == [1, 11])
  }

  @Test func `Tempos that change while they differ are reported again when they have settled`() {
    let lines = Self.lines(seconds: 10) { time in
      var conditions = Conditions()
      let jack = time < 3 ? 90 : min(90 + (time - 3) * 20, 130)
      conditions.tempo = .differentTempos(jack: jack, link: .standard)
      return conditions
    }
    #expect(lines.map(\.time) == [1, 5.95])
    #expect(lines.last?.notice == .grid(.differentTempos(jack: 130, link: .standard)))
  }

  @Test(
    "Tempos that move by less than a hundredth differ as before",
    arguments: [(90.8, 120.0, 1), (91, 120, 2), (90, 121, 1), (90, 121.5, 2)])
  func nearlyTheSame(jack: Double, link: Double, count: Int) throws {
    let moved = try #require(Tempo(beatsPerMinute: link))
    let lines = Self.lines(seconds: 10) { time in
      var conditions = Conditions()
      let isBefore = time < 3
      conditions.tempo = .differentTempos(jack: isBefore ? 90 : jack, link: isBefore ? .standard : moved)
      return conditions
    }
    #expect(lines.count == count)
  }

  @Test func `While JACK exports only that is reported, and then at once what still holds`() {
    for (end, times) in [(10.0, [0.5, 5, 5]), (3, [0.5, 5])] {
      let lines = Self.lines(seconds: 20) { time in
        var conditions = Self.silent(time < end)
        conditions.isRendering = time >= 0.5 && time < 5
        return conditions
      }
      #expect(lines.map(\.time) == times)
      #expect(lines.prefix(2).map(\.notice) == [.grid(.rendering), .grid(.renderingEnded)])
    }
  }

  @Test func `That frames are in phase again is reported only after they were not`() {
    let lines = Self.lines(seconds: 20) { time in
      var conditions = Conditions()
      conditions.shift = time >= 5 && time < 10 ? .milliseconds(20) : .zero
      return conditions
    }
    #expect(lines.map(\.notice) == [20, 0].map { .transport(.framesShifted(by: .milliseconds($0))) })
  }

  @Test func `A start that waits is reported at once, and again where it moves, twice a second at most`() {
    let lines = Self.lines(seconds: 4) { time in
      var conditions = Conditions()
      let roll = Self.origin + HostInterval.milliseconds(time < 1 ? 8_000 : 8_000 + (time - 1) * 500)
      conditions.start = time > 2 ? nil : .init(roll: roll, .launchWaits(.one))
      return conditions
    }
    #expect(lines.map(\.time) == [0, 1.25, 1.75])
  }

  @Test func `Starts that a program makes again and again are reported twice a second at most`() {
    let lines = Self.lines(seconds: 4) { time in
      var conditions = Conditions()
      let isHeld = time < 2 && Int(time * 20) % 2 == 0
      conditions.start = isHeld ? .init(roll: Self.origin + .seconds(8), .launchWaits(.one)) : nil
      return conditions
    }
    #expect(lines.map(\.time) == [0, 0.5, 1, 1.5])
  }

  @Test func `A tempo that is imposed again and again is reported each three seconds`() {
    var reporter = ConditionReporter()
    let told = (0..<10).filter {
      reporter.passes(.imposed(jack: 100, link: .standard), at: Self.origin + .seconds(Double($0)))
    }
    #expect(told == [0, 3, 6, 9])
    let passes = reporter.passes(.tempoKept(peers: .standard), at: Self.origin)
    #expect(passes)
  }

  @Test func `A leader is reported at once, and again only where it is another; an export begins and ends`() {
    let lines = Self.lines(seconds: 4) { time in
      var conditions = Conditions()
      conditions.leader = time < 1 ? .linkLeads : time < 1.5 ? nil : .jackLeads
      conditions.isRendering = time >= 2 && time < 3
      return conditions
    }
    #expect(lines.map(\.time) == [1.5, 2, 3])
    #expect(lines.map(\.notice) == [.jackLeads, .rendering, .renderingEnded].map { .grid($0) })
  }

  @Test func `A start that is put off is reported once, and once more as JACK holds it`() {
    let lines = Self.lines(seconds: 4) { time in
      var conditions = Conditions()
      let notice = time < 2 ? TransportNotice.launchPostponed(.one) : .launchWaits(.one)
      conditions.start = .init(roll: Self.origin + .seconds(8), notice)
      if time > 1.9, time < 2.1 { conditions.start = nil }
      return conditions
    }
    #expect(lines.map(\.notice) == [.transport(.launchPostponed(.one)), .transport(.launchWaits(.one))])
  }
}
