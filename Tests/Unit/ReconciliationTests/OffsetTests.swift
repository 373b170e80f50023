import MusicalTime
import PropertyTesting
import Simulation
import Testing

@testable import Reconciliation

/// The offset that the user hears JACK by, and how it is come to.
@Suite struct OffsetTests {
  private static let cycle = HostInterval(FrameCount(256), at: .standard)

  private static func delay(_ milliseconds: Double, slewed: Double = 0) -> OutputDelay {
    var delay = OutputDelay(.milliseconds(milliseconds))
    delay.userChose(.milliseconds(milliseconds + slewed))
    return delay
  }

  @Test("While JACK rolls it takes a fiftieth of the time that passes, in both directions, and ends exactly")
  func slewed() {
    for wanted in [7.3, -7.3, 500, -500, 0.0001] {
      var slew = DelaySlew()
      #expect(slew.advance(to: Self.delay(10), over: Self.cycle, isPlaying: true).now == .milliseconds(10))
      var (last, cycles) = (HostInterval.milliseconds(10), 0)
      repeat {
        let changed = Self.delay(10, slewed: wanted)
        let next = slew.advance(to: changed, over: Self.cycle, isPlaying: true).now
        #expect((next - last).magnitude.nanoseconds <= Self.cycle.nanoseconds / 50)
        #expect(wanted > 0 ? next > last : next < last)
        (last, cycles) = (next, cycles + 1)
      } while last != .milliseconds(10) + .milliseconds(wanted) && cycles < 10_000
      #expect(cycles == max(1, Int((abs(wanted) * 50 / Self.cycle.milliseconds).rounded(.up))))
      #expect(slew.advance(to: Self.delay(10, slewed: wanted), over: Self.cycle, isPlaying: true).now == last)
    }
  }

  @Test func `It turns round half way, and goes on from where it is to the last choice`() {
    forAll(50) { seed, random in
      var slew = DelaySlew()
      var last = slew.advance(to: Self.delay(0), over: Self.cycle, isPlaying: true).now
      for _ in 0..<20 {
        let wanted = Self.delay(0, slewed: .random(in: -30...30, using: &random))
        let cycles = Int.random(in: 0...200, using: &random)
        for _ in 0..<cycles {
          let next = slew.advance(to: wanted, over: Self.cycle, isPlaying: true).now
          #expect((next - last).magnitude.nanoseconds <= Self.cycle.nanoseconds / 50, "seed \(seed)")
          #expect((wanted.total - next).magnitude <= (wanted.total - last).magnitude, "seed \(seed)")
          last = next
        }
      }
    }
  }

  @Test func `While stopped it holds at once, and the server's latency does at all times`() {
    var slew = DelaySlew()
    _ = slew.advance(to: Self.delay(10), over: Self.cycle, isPlaying: false)
    var wanted = Self.delay(10, slewed: 40)
    #expect(slew.advance(to: wanted, over: Self.cycle, isPlaying: false).now == .milliseconds(50))
    wanted.userChose(.milliseconds(10))
    let before = slew.advance(to: wanted, over: Self.cycle, isPlaying: true).now
    #expect(before > .milliseconds(49))
    wanted.serverChanged(to: .milliseconds(25))
    #expect(wanted.total == .milliseconds(25))
    let after = slew.advance(to: wanted, over: Self.cycle, isPlaying: true).now
    #expect((after - before - .milliseconds(15)).magnitude.nanoseconds <= Self.cycle.nanoseconds / 50)
  }

  /// Runs a studio while it approaches a delay.
  private static func run(
    _ studio: inout Studio, to wanted: OutputDelay, seconds: Double, each: (Studio) -> Void = { _ in }
  ) {
    let end = studio.now + .seconds(seconds)
    studio.wantedDelay = wanted
    while studio.now < end {
      studio.step()
      each(studio)
    }
  }

  @Test("The position that JACK clients read goes on without a step meanwhile, and is Link's all the time")
  func read() {
    forAll(12) { seed, random in
      let period: UInt32 = [64, 256, 1024].randomElement(using: &random) ?? 256
      var studio = LaunchTests.warm(.init(), period: period)
      Self.run(&studio, to: Self.delay(10), seconds: 0.1)
      #expect(studio.run(after: .clientStarts) { $0.isRolling })
      studio.run(seconds: 1)
      let usual = studio.tempo.beats(in: studio.periodDuration)
      let bend = Beats(nanobeats: usual.nanobeats / 40)
      var last: BeatTime?
      for _ in 0..<3 {
        let wanted = Self.delay(10, slewed: .random(in: -60...60, using: &random))
        Self.run(&studio, to: wanted, seconds: .random(in: 0.5...2, using: &random)) { studio in
          guard let beat = studio.shown?.exact else { return }
          if let last { #expect((beat - last - usual).magnitude <= bend, "seed \(seed)") }
          last = beat
          #expect(studio.isShownInPhase(within: .milliseconds(0.5)), "seed \(seed)")
        }
      }
      Self.run(&studio, to: Self.delay(10), seconds: 4)
      #expect(studio.latency == .milliseconds(10))
      #expect(studio.isShownInPhase(within: .milliseconds(0.003)), "seed \(seed)")
      #expect(!studio.hasMovedPeers)
    }
  }

  @Test func `A start that is held while it changes is in phase when it rolls`() {
    for wanted in [-15.0, 15, 200] {
      var studio = LaunchTests.warm()
      studio.engine.locate(to: 96_000)
      studio.shiftGrid(by: Beats(nanobeats: 500_000_000))
      Self.run(&studio, to: Self.delay(10), seconds: 0.1)
      studio.engine.start()
      let way = Self.delay(10, slewed: wanted)
      var isRolling = false
      Self.run(&studio, to: way, seconds: 4) { studio in
        guard studio.isRolling, !isRolling else { return }
        isRolling = true
        #expect(studio.frameError.magnitude <= .milliseconds(0.5), "\(studio.frameError.microseconds) us")
      }
      #expect(isRolling)
      #expect(studio.isShownInPhase(within: .milliseconds(0.003)))
    }
  }

  @Test("Programs that count frames are off by as much, which is reported when it has come about, each time")
  func told() {
    var studio = LaunchTests.warm(.init(frameAlignment: .whole))
    Self.run(&studio, to: Self.delay(10), seconds: 0.1)
    studio.run(seconds: 6, after: .clientStarts)
    Self.run(&studio, to: Self.delay(10, slewed: 20), seconds: 4)
    Self.run(&studio, to: Self.delay(10), seconds: 4)
    let shifts = studio.notices.compactMap { notice in
      if case .transport(.framesShifted(let off)) = notice { off } else { nil }
    }
    #expect(shifts == [.milliseconds(20), .zero])
    #expect(!studio.notices.contains { if case .transport(.framesFellBehind) = $0 { true } else { false } })
  }

  @Test func `Frames that are relocated while it changes go on where the whole of it has them, and once`() {
    for wanted in [-120.0, -40, 40, 120] {
      for period: UInt32 in [256, 1024] {
        var studio = LaunchTests.warm(.init(frameAlignment: .exact, discipline: .relocate), period: period)
        Self.run(&studio, to: Self.delay(10), seconds: 0.1)
        studio.engine.start()
        Self.run(&studio, to: Self.delay(10), seconds: 6)
        #expect(studio.isRolling && studio.frameError.magnitude <= .milliseconds(0.5))
        let first = studio.decisions.count
        Self.run(&studio, to: Self.delay(10, slewed: wanted), seconds: 20)
        let relocations = studio.decisions.dropFirst(first).count {
          if case .relocate = $0.transport { true } else { false }
        }
        #expect(relocations == 1, "\(wanted) ms, \(period) frames")
        #expect(studio.frameError.magnitude <= .milliseconds(0.5), "\(wanted) ms, \(period) frames")
        let reported = studio.notices.compactMap { notice in
          if case .transport(.framesRealigned(let error)) = notice { error.milliseconds } else { nil }
        }
        #expect(reported.map { ($0 + wanted).magnitude < 0.5 } == [true], "\(reported)")
      }
    }
  }

  @Test func `Frames that are off only on the way to another are not relocated`() {
    var studio = LaunchTests.warm(.init(frameAlignment: .exact, discipline: .relocate))
    Self.run(&studio, to: Self.delay(10), seconds: 0.1)
    studio.engine.start()
    Self.run(&studio, to: Self.delay(10), seconds: 6)
    let first = studio.decisions.count
    // The position that is read goes 18 ms away in the first 0.9 s, and comes back.
    Self.run(&studio, to: Self.delay(10, slewed: 40), seconds: 0.9)
    Self.run(&studio, to: Self.delay(10), seconds: 6)
    #expect(
      !studio.decisions.dropFirst(first).contains {
        if case .relocate = $0.transport { true } else { false }
      })
    #expect(studio.frameError.magnitude <= .milliseconds(0.5))
  }

  @Test func `Where JACK leads alone, Link comes to be where JACK is heard`() {
    var studio = SelectionTests.followed(bpm: 120, peers: 0)
    Self.run(&studio, to: Self.delay(10), seconds: 0.1)
    studio.run(seconds: 3, after: .clientStarts)
    Self.run(&studio, to: Self.delay(10, slewed: 25), seconds: 10)
    #expect(studio.latency == .milliseconds(35))
    #expect(SelectionTests.phaseError(studio).magnitude <= .milliseconds(0.3))
  }

  @Test func `An offset is milliseconds of both signs, within half a second`() {
    #expect(Offset(milliseconds: -3.5)?.interval == .milliseconds(-3.5))
    #expect(Offset(milliseconds: 0) == Offset.none)
    for wrong in [500.1, -501, .nan, .infinity] { #expect(Offset(milliseconds: wrong) == nil) }
  }
}
