import JACK
import MusicalTime
import Synchronization

/// Uses everything a cycle offers, from functions whose whole body the compiler checks for locks, allocations
/// and reference counting: that it compiles, in debug and release, is the first half of the test.
///
/// The test and the real-time thread share it: everything that changes is atomic.
final class WholeCycle: RealtimeHandler, @unchecked Sendable {
  enum Request: Int, AtomicRepresentable { case none, start, stop, locate }

  let request = Atomic<Request>(.none)
  let isReady = Atomic<Bool>(true)
  let cycles = Atomic<Int>(0)
  let cyclesInOrder = Atomic<Int>(0)
  let syncsWhileStarting = Atomic<Int>(0)
  let timebaseCalls = Atomic<Int>(0)
  let newPositions = Atomic<Int>(0)
  let frameCount = Atomic<UInt32>(0)
  let isRolling = Atomic<Bool>(false)
  let frame = Atomic<UInt32>(0)

  private let bpm: Double
  private let meter = Meter.common
  private let resolution = TicksPerBeat.standard

  init(bpm: Double = 120) {
    self.bpm = bpm
  }

  @_noLocks
  override func process(_ cycle: CycleContext) {
    let now = cycle.now()
    frameCount.store(cycle.frameCount, ordering: .relaxed)
    if let times = cycle.cycleTimes() {
      if times.next > times.start, times.frame != 0, now - times.start < .seconds(10) {
        cyclesInOrder.wrappingAdd(1, ordering: .relaxed)
      }
    }
    let transport = cycle.transport()
    isRolling.store(transport.state == .rolling, ordering: .relaxed)
    frame.store(transport.position.frame.number, ordering: .relaxed)
    switch request.exchange(.none, ordering: .relaxed) {
    case .start: cycle.startTransport()
    case .stop: cycle.stopTransport()
    case .locate: cycle.locateTransport(to: 480_000)
    case .none: break
    }
    cycles.wrappingAdd(1, ordering: .releasing)
  }

  @_noLocks
  override func sync(_ cycle: CycleContext, state: TransportState, position: PositionReading) -> Bool {
    if state == .starting, cycle.frameCount > 0 {
      syncsWhileStarting.wrappingAdd(1, ordering: .relaxed)
    }
    return isReady.load(ordering: .relaxed)
  }

  @_noLocks
  override func timebase(
    _ cycle: CycleContext, state: TransportState, next: TimebasePosition, isNewPosition: Bool
  ) {
    timebaseCalls.wrappingAdd(1, ordering: .relaxed)
    if isNewPosition { newPositions.wrappingAdd(1, ordering: .relaxed) }
    let reading = next.reading
    guard cycle.frameCount > 0, reading.timebase.tickDouble == nil || reading.valid.declares(.tickDouble)
    else { return next.clear() }
    let position = BeatTime(sinceZero: Beats(nanobeats: reading.frame.sinceZero.count &* 40_000))
    next.publish(
      BarBeatTick(nearest: position, meter: meter, ticksPerBeat: resolution), beatsPerMinute: bpm)
  }
}
