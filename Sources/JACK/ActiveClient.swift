import MusicalTime

/// A client that takes part in the server's cycles.
///
/// Closed by ``close()``, or when the last reference goes. When the server shuts down, ``events`` has
/// ``ServerEvent/shutdown(reason:)`` and ends; from then on every call but ``close()`` does nothing or throws
/// ``JACKError/serverGone``.
///
/// Everything here is Thread-safe and nothing is Realtime-safe: calls take a lock, and some, as their
/// comments note, wait for the server. The real-time thread uses its ``CycleContext``.
public final class ActiveClient: Sendable {
  let connection: Connection

  init(_ connection: Connection) {
    self.connection = connection
  }

  deinit { connection.close() }

  /// The name JACK gave the client.
  public var name: String { connection.name }

  /// The server's sample rate; the last one known when the server has gone.
  public var sampleRate: SampleRate { connection.notifications.sampleRate }

  /// The length of a cycle in frames; the last one known when the server has gone.
  public var bufferSize: UInt32 { connection.notifications.bufferSize }

  /// How often the server or a client has missed a deadline, so that times jumped, since the client was
  /// opened.
  ///
  /// Not among the ``events``, which wake their reader: on a bad day it happens hundreds of times in a
  /// second.
  public var xrunCount: Int { connection.notifications.xrunCount }

  /// How far the server has counted. `nil` with PipeWire, when the client is closed, and when its server has gone.
  ///
  /// The corresponding C functions are `jack_last_frame_time` and `jack_is_realtime`.
  public var pace: ServerPace? { connection.pace }

  /// The `SCHED_FIFO` priority of the thread that runs the callbacks; `nil` where the server does not run in real time,
  /// when the client is closed, and when its server has gone.
  ///
  /// The corresponding C function is `jack_client_real_time_priority`.
  public var realTimePriority: Int32? {
    connection.callIfOpen { LibJACK.realTimePriority(of: $0) } ?? nil
  }

  /// The server's events from the time the client was opened; for one reader.
  ///
  /// Holds the latest 256 events until they are read. It ends after ``ServerEvent/shutdown(reason:)``, which
  /// is never lost, or with ``close()``.
  public var events: AsyncStream<ServerEvent> { connection.notifications.events }

  /// The time on JACK's clock, to the microsecond; `nil` when the client is closed or its server gone.
  ///
  /// The corresponding C function is `jack_get_time`, which is undefined without an open client.
  public func now() -> HostTime<JACKClock>? { connection.callIfOpen { _ in LibJACK.now() } }

  /// Leaves the server. Calling it again does nothing.
  ///
  /// Afterwards no callback of the handler runs, and the handler is released. Calls that are still running on
  /// other threads are waited for; a second call of `close()` does not wait for the first.
  ///
  /// Blocks while the server takes to answer: without end when it hangs, for example stopped by a signal.
  /// Give it a thread that may be abandoned where that matters. With a server that has died it returns. Must
  /// not be called by the handler, or by anything else on JACK's own threads.
  ///
  /// The corresponding C function is `jack_client_close`.
  public func close() { connection.close() }
}
