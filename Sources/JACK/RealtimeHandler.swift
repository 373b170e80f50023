import MusicalTime

/// The callbacks of a client in each cycle. Subclass it and override those that are needed.
///
/// JACK calls all three functions on one real-time thread, in the order ``sync(_:state:position:)``,
/// ``process(_:)``, ``timebase(_:state:next:isNewPosition:)``, and never two at once. None of them may block,
/// allocate, or take a lock; `@_noLocks` has the compiler check it in overrides too when they repeat it.
///
/// From activation until the client is closed the handler belongs to that thread alone. It must not hold on
/// to the ``ActiveClient``: closing a client from its own thread would wait for itself.
open class RealtimeHandler {
  /// A handler that does nothing.
  public init() {}

  /// Called once in every cycle. Does nothing unless overridden.
  ///
  /// - Parameter cycle: The current cycle; valid during the call only.
  @_noLocks
  open func process(_ cycle: CycleContext) {}

  /// Called while ``ActiveClient/setSlowSync(_:)`` is on and the transport waits to start or has been
  /// relocated, in each cycle until it answers true. Always ready unless overridden.
  ///
  /// The wait is bounded: by ``ActiveClient/setSyncTimeout(_:)`` on jackd2, whose default is 10 s.
  /// Thereafter the state is `rolling` and the position moves on.
  ///
  /// - Parameters:
  ///   - cycle: The current cycle; valid during the call only.
  ///   - state: Stopped for a relocation, starting for a wait, rolling after a timeout.
  ///   - position: Where the transport is going to be.
  /// - Returns: Whether the client is ready to roll. From true, the transport rolls in the next cycle at the
  ///   earliest.
  @_noLocks
  open func sync(_ cycle: CycleContext, state: TransportState, position: PositionReading) -> Bool { true }

  /// Called while the client owns the timebase: in every cycle while rolling, and once after
  /// ``ActiveClient/takeTimebase(conditionally:)``, a locate or a start. Unless overridden, publishes no
  /// position.
  ///
  /// It describes the *next* cycle, and clients read its position there.
  ///
  /// - Parameters:
  ///   - cycle: The current cycle; valid during the call only.
  ///   - state: The state in the current cycle.
  ///   - next: The position of the next cycle, to be completed; valid during the call only.
  ///   - isNewPosition: Whether a client asked for a new position. On jackd2 a locate shows first with false,
  ///     and with true one cycle later.
  @_noLocks
  open func timebase(
    _ cycle: CycleContext, state: TransportState, next: TimebasePosition, isNewPosition: Bool
  ) {
    next.clear()
  }
}
