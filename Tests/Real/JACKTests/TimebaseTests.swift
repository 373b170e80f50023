import JACK
import MusicalTime
import Stage
import Synchronization
import Testing

extension JACKSuite {
  @Suite struct Timebase {
    init() { quiet }

    @Test("Only one client owns the timebase, and the next may have it when the owner has closed")
    func ownership() async throws {
      let server = try JackServer.started()
      let first = try Client.open(name: "first", server: server.name).activate(RealtimeHandler())
      let second = try Client.open(name: "second", server: server.name).activate(RealtimeHandler())
      #expect(try first.takeTimebase(conditionally: true))
      #expect(try first.takeTimebase(conditionally: true))
      #expect(try !second.takeTimebase(conditionally: true))
      first.close()
      #expect(try second.takeTimebase(conditionally: true))
      try second.releaseTimebase()
    }

    @Test func `An unconditional take wins, and the loser learns it by asking`() throws {
      let server = try JackServer.started()
      let first = try Client.open(name: "first", server: server.name).activate(RealtimeHandler())
      let second = try Client.open(name: "second", server: server.name).activate(RealtimeHandler())
      #expect(try first.takeTimebase(conditionally: true))
      #expect(try second.takeTimebase(conditionally: false))
      #expect(try !first.takeTimebase(conditionally: true))
    }

    @Test func `Releasing a timebase that another client owns fails`() throws {
      let server = try JackServer.started()
      let first = try Client.open(name: "first", server: server.name).activate(RealtimeHandler())
      let second = try Client.open(name: "second", server: server.name).activate(RealtimeHandler())
      #expect(try first.takeTimebase(conditionally: true))
      #expect(throws: JACKError.self) { try second.releaseTimebase() }
    }

    @Test("Taking the timebase once more as owner has the callback called once more while stopped")
    func republish() async throws {
      let server = try JackServer.started()
      let handler = WholeCycle()
      let client = try Client.open(name: "owner", server: server.name).activate(handler)
      _ = try client.takeTimebase(conditionally: true)
      #expect(try await eventually { handler.newPositions.load(ordering: .relaxed) > 0 })
      // Being activated and taking the timebase each have it called, one soon after the other.
      var last = (calls: -1, cycle: 0)
      #expect(
        try await eventually {
          let (calls, cycle) = (
            handler.timebaseCalls.load(ordering: .relaxed), handler.cycles.load(ordering: .relaxed)
          )
          if calls != last.calls { last = (calls, cycle) }
          return cycle > last.cycle + 20
        })
      let before = handler.timebaseCalls.load(ordering: .relaxed)
      let frame = client.transport()?.position.frame
      _ = try client.takeTimebase(conditionally: true)
      #expect(try await eventually { handler.timebaseCalls.load(ordering: .relaxed) == before + 1 })
      #expect(client.transport()?.state == .stopped)
      #expect(client.transport()?.position.frame == frame)
    }

    @Test("The position published in one cycle is the one that another client reads in the next")
    func nextCycle() async throws {
      let server = try JackServer.started()
      let meter = try #require(Meter(beatsPerBar: 6, beatType: 8))
      let cycleReader = CycleReader(capacity: 400)
      let owner = try Client.open(name: "owner", server: server.name)
        .activate(CycleStamper(meter: meter, beatsPerMinute: 90.5))
      let reader = try Client.open(name: "reader", server: server.name).activate(cycleReader)
      #expect(try owner.takeTimebase(conditionally: true))
      reader.startTransport()
      #expect(try await eventually { cycleReader.all.count >= 400 })
      owner.close()
      reader.close()

      // A missed deadline may cost a cycle here and there: the law is about the others.
      let all = cycleReader.all
      let inOrder = all.filter { $0.cycle == $0.previousCycle + 1 }
      let inNext = inOrder.filter { $0.stampedCycle == $0.previousCycle }.count
      #expect(inOrder.count * 2 > all.count, "\(inOrder.count) of \(all.count)")
      #expect(inNext * 10 > inOrder.count * 9, "\(inNext) of \(inOrder.count)")
      #expect(inOrder.allSatisfy { $0.stampedCycle < $0.cycle })

      let last = try #require(all.last).position
      #expect(last.valid == .barBeatTick)
      #expect(last.frameRate == 48_000)
      let shown = last.timebase
      #expect(last.barStartTick == Double(shown.bar - 1) * 6 * 1_920_000)
      #expect(
        shown
          == TimebaseReading(
            isValid: true, bar: shown.bar, beat: 1, tick: 0, beatsPerBar: 6, beatType: 8,
            ticksPerBeat: 1_920_000, beatsPerMinute: 90.5))
    }

    @Test("Without a tempo there is no position", arguments: [0, -1, Double.nan, .infinity])
    func noTempo(bpm: Double) async throws {
      let server = try JackServer.started()
      let handler = WholeCycle(bpm: bpm)
      let owner = try Client.open(name: "owner", server: server.name).activate(handler)
      _ = try owner.takeTimebase(conditionally: true)
      owner.startTransport()
      #expect(try await eventually { handler.timebaseCalls.load(ordering: .relaxed) > 10 })
      #expect(owner.transport()?.position.valid == [])
      #expect(owner.transport()?.position.timebase.isValid == false)
    }
  }
}

/// Publishes, as the bar, which cycle it is in.
private final class CycleStamper: RealtimeHandler {
  private let meter: Meter
  private let beatsPerMinute: Double
  private let resolution = TicksPerBeat.standard

  init(meter: Meter, beatsPerMinute: Double) {
    self.meter = meter
    self.beatsPerMinute = beatsPerMinute
  }

  @_noLocks
  override func timebase(
    _ cycle: CycleContext, state: TransportState, next: TimebasePosition, isNewPosition: Bool
  ) {
    guard let times = cycle.cycleTimes() else { return next.clear() }
    let bars = Int64(times.frame.number / cycle.frameCount)
    let position = BeatTime(sinceZero: Beats(nanobeats: meter.barLength.nanobeats &* bars))
    next.publish(
      BarBeatTick(nearest: position, meter: meter, ticksPerBeat: resolution),
      beatsPerMinute: beatsPerMinute)
  }
}

/// Records the position of each cycle while rolling, up to a fixed number.
private final class CycleReader: RealtimeHandler, @unchecked Sendable {
  struct Sample: BitwiseCopyable, Sendable {
    let cycle: UInt32
    let previousCycle: UInt32
    let position: PositionReading
    var stampedCycle: UInt32 { UInt32(position.timebase.bar - 1) }
  }

  private let storage: UnsafeMutablePointer<Sample>
  private let capacity: Int
  private let written = Atomic<Int>(0)
  private var previousCycle: UInt32 = 0

  init(capacity: Int) {
    storage = .allocate(capacity: capacity)
    self.capacity = capacity
  }

  deinit { storage.deallocate() }

  var all: [Sample] {
    Array(UnsafeBufferPointer(start: storage, count: written.load(ordering: .acquiring)))
  }

  @_noLocks
  override func process(_ cycle: CycleContext) {
    guard let times = cycle.cycleTimes() else { return }
    let index = times.frame.number / cycle.frameCount
    let transport = cycle.transport()
    let count = written.load(ordering: .relaxed)
    if count < capacity, transport.state == .rolling, transport.position.timebase.isValid {
      (storage + count).initialize(
        to: Sample(cycle: index, previousCycle: previousCycle, position: transport.position))
      written.store(count &+ 1, ordering: .releasing)
    }
    previousCycle = index
  }
}
