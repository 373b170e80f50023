import MusicalTime

/// The calls that a callback may make in its cycle.
///
/// Valid only during the callback it was passed to, and only on the thread of that callback. Everything here
/// is Realtime-safe on jackd2; PipeWire 1.2 and later takes a lock in ``startTransport()`` and
/// ``stopTransport()``.
public struct CycleContext {
  private let client: OpaquePointer

  /// The length of the cycle in frames.
  public let frameCount: UInt32

  /// Whether the server runs as fast as its clients can, without waiting for the sound card: then the times
  /// and the wake-ups of its cycles have nothing to do with sound.
  ///
  /// Realtime-safe. The corresponding C function is `jack_set_freewheel_callback`.
  public let isFreewheeling: Bool

  @_noLocks
  init(client: OpaquePointer, frameCount: UInt32, isFreewheeling: Bool) {
    self.client = client
    self.frameCount = frameCount
    self.isFreewheeling = isFreewheeling
  }

  /// The time on JACK's clock, to the microsecond.
  ///
  /// Realtime-safe. The corresponding C function is `jack_get_time`.
  @_noLocks
  public func now() -> HostTime<JACKClock> { LibJACK.now() }

  /// The server's sample rate in this cycle; `nil` while the server does not know it. PipeWire may change it.
  ///
  /// Realtime-safe. The corresponding C function is `jack_get_sample_rate`.
  public var sampleRate: SampleRate? {
    @_noLocks get { SampleRate(hertz: Double(LibJACK.sampleRate(of: client))) }
  }

  /// When the cycle began and when the next is expected to, smoothed by the server; `nil` while the server
  /// does not know yet.
  ///
  /// Realtime-safe. The corresponding C function is `jack_get_cycle_times`.
  @_noLocks
  public func cycleTimes() -> CycleTimes? { LibJACK.cycleTimes(of: client) }

  /// The transport in this cycle: the state holds for the whole of it, the position for its first frame.
  ///
  /// Realtime-safe. The corresponding C function is `jack_transport_query`.
  @_noLocks
  public func transport() -> TransportReading { LibJACK.transport(of: client) }

  /// The transport's state in this cycle, and the frame at its start: ``transport()`` without the timebase
  /// owner's position, in half the time.
  ///
  /// Realtime-safe. The corresponding C function is `jack_transport_query`.
  @_noLocks
  public func transportMotion() -> (state: TransportState, frame: TransportFrame) {
    LibJACK.motion(of: client)
  }

  /// Asks for the transport to start: from cycle c, starting is seen in c + 1 and rolling in c + 2 when no
  /// client is slow to sync.
  ///
  /// Realtime-safe on jackd2. The corresponding C function is `jack_transport_start`.
  @_noLocks
  public func startTransport() { LibJACK.startTransport(client) }

  /// Asks for the transport to stop, in the next cycle.
  ///
  /// Realtime-safe on jackd2. The corresponding C function is `jack_transport_stop`.
  @_noLocks
  public func stopTransport() { LibJACK.stopTransport(client) }

  /// Asks for the transport to continue elsewhere. From cycle c, seen in c + 2 on jackd2, c + 1 on PipeWire.
  ///
  /// Realtime-safe. The corresponding C function is `jack_transport_locate`.
  ///
  /// - Parameter frame: The frame to go to.
  /// - Returns: Whether JACK took the request.
  @_noLocks
  @discardableResult
  public func locateTransport(to frame: TransportFrame) -> Bool {
    LibJACK.locateTransport(client, to: frame)
  }

  /// Asks for the transport to continue elsewhere, with the bar, beat and tick it shows now: unlike
  /// ``locateTransport(to:)``, which leaves it without for a cycle. From cycle c, seen in c + 2 on jackd2.
  ///
  /// Realtime-safe. The corresponding C function is `jack_transport_reposition`.
  ///
  /// - Parameter frame: The frame to go to.
  /// - Returns: Whether JACK took the request.
  @_noLocks
  @discardableResult
  public func repositionTransport(to frame: TransportFrame) -> Bool {
    LibJACK.repositionTransport(client, to: frame)
  }
}

@available(*, unavailable)
extension CycleContext: Sendable {}
