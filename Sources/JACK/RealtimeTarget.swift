import MusicalTime
import Synchronization

/// The data of the real-time thread's callbacks: a handler, and the client it serves.
///
/// Built before the client is activated, released after JACK has closed it.
final class RealtimeTarget: @unchecked Sendable {
  private let client: OpaquePointer
  /// Unmanaged, so that the real-time thread does not count references.
  private let handler: Unmanaged<RealtimeHandler>
  private let notifications: Unmanaged<Notifications>
  let gate = CallbackGate()
  private let hasBegun = Atomic<Bool>(false)

  init(client: OpaquePointer, handler: sending RealtimeHandler, notifications: Notifications) {
    self.client = client
    self.handler = .passRetained(handler)
    self.notifications = .passRetained(notifications)
  }

  deinit {
    handler.release()
    notifications.release()
  }

  @_noLocks
  private func context(_ frameCount: UInt32) -> CycleContext {
    CycleContext(
      client: client, frameCount: frameCount,
      isFreewheeling: notifications._withUnsafeGuaranteedRef { $0.isFreewheeling })
  }

  /// Waits until the real-time thread has called: a second at most.
  ///
  /// - Returns: Whether it has.
  func awaitFirstCallback() -> Bool {
    CallbackGate.wait { !hasBegun.load(ordering: .relaxed) }
    return hasBegun.load(ordering: .relaxed)
  }

  @_noLocks
  func process(_ frameCount: UInt32) {
    if !hasBegun.load(ordering: .relaxed) { hasBegun.store(true, ordering: .relaxed) }
    guard gate.enter() else { return }
    let cycle = context(frameCount)
    callProcess(cycle)
    gate.leave()
  }

  @_noLocks
  func sync(_ state: TransportState, _ position: PositionReading) -> Bool {
    guard gate.enter() else { return true }
    let frameCount = LibJACK.bufferSize(of: client)
    let cycle = context(frameCount)
    let isReady = callSync(cycle, state, position)
    gate.leave()
    return isReady
  }

  @_noLocks
  func timebase(
    _ frameCount: UInt32, _ state: TransportState, _ next: TimebasePosition, _ isNewPosition: Bool
  ) {
    // Left as it is, the position would show this cycle's beat in the next one.
    guard gate.enter() else { return next.clear() }
    let cycle = context(frameCount)
    callTimebase(cycle, state, next, isNewPosition)
    gate.leave()
  }

  // The three calls of open methods are the one thing here that the compiler cannot follow. Overrides are
  // checked where they are written, when they repeat `@_noLocks`.

  @_semantics("no_performance_analysis")
  private func callProcess(_ cycle: CycleContext) {
    handler._withUnsafeGuaranteedRef { $0.process(cycle) }
  }

  @_semantics("no_performance_analysis")
  private func callSync(_ cycle: CycleContext, _ state: TransportState, _ position: PositionReading) -> Bool {
    handler._withUnsafeGuaranteedRef { $0.sync(cycle, state: state, position: position) }
  }

  @_semantics("no_performance_analysis")
  private func callTimebase(
    _ cycle: CycleContext, _ state: TransportState, _ next: TimebasePosition, _ isNewPosition: Bool
  ) {
    handler._withUnsafeGuaranteedRef {
      $0.timebase(cycle, state: state, next: next, isNewPosition: isNewPosition)
    }
  }
}
