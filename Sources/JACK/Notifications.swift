import Glibc
import MusicalTime
import Synchronization

/// Turns the calls of JACK's notification thread into a stream of events.
///
/// Its methods run on threads of JACK and return at once.
final class Notifications: Sendable {
  /// Old events give way to new ones; shutdown is the last and therefore never lost.
  static let capacity = 256

  let events: AsyncStream<ServerEvent>
  /// However many properties have changed, it is one element until the reader takes it.
  let propertyChanges: AsyncStream<Void>
  private let continuation: AsyncStream<ServerEvent>.Continuation
  private let propertyCall: AsyncStream<Void>.Continuation
  private let gate = NotificationGate()
  /// JACK's thread that reported the server's end; 0 while the server is there.
  private let messenger = Atomic<pid_t>(0)
  private let xruns = Atomic<Int>(0)
  private let freewheels = Atomic<Bool>(false)
  private let lastBufferSize: Atomic<UInt32>
  private let lastSampleRate: Atomic<UInt32>

  init(bufferSize: UInt32, sampleRate: UInt32) {
    lastBufferSize = Atomic(bufferSize)
    lastSampleRate = Atomic(sampleRate)
    (events, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(Self.capacity))
    (propertyChanges, propertyCall) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  var serverIsGone: Bool { messenger.load(ordering: .acquiring) != 0 }
  /// How many deadlines were missed.
  var xrunCount: Int { xruns.load(ordering: .relaxed) }
  /// Whether the server runs as fast as it can, for the real-time thread to ask in every cycle.
  var isFreewheeling: Bool { @_noLocks get { freewheels.load(ordering: .relaxed) } }
  var bufferSize: UInt32 { lastBufferSize.load(ordering: .relaxed) }
  var sampleRate: SampleRate {
    SampleRate(hertz: Double(lastSampleRate.load(ordering: .relaxed))) ?? .standard
  }

  func did(_ event: ServerEvent) {
    guard gate.enter() else { return }
    continuation.yield(event)
    gate.leave()
  }

  /// Nothing is read here: jackd2 notifies one client after the other, and waits for each.
  func propertyDidChange() {
    guard gate.enter() else { return }
    propertyCall.yield()
    gate.leave()
  }

  /// Only counted: there may be hundreds in a second, and a thread that is woken by each makes more of them.
  func deadlineWasMissed() { xruns.wrappingAdd(1, ordering: .relaxed) }

  func bufferSizeDidChange(to frameCount: UInt32) {
    // jackd2 also calls when the client is activated.
    guard lastBufferSize.exchange(frameCount, ordering: .relaxed) != frameCount else { return }
    did(.bufferSizeChanged(frameCount))
  }

  /// jackd2 goes on when this has returned: cycles see it from the first that it is true for.
  func didFreewheel(_ starts: Bool) {
    freewheels.store(starts, ordering: .relaxed)
    did(.freewheel(starts))
  }

  func sampleRateDidChange(to hertz: UInt32) {
    guard lastSampleRate.exchange(hertz, ordering: .relaxed) != hertz,
      let rate = SampleRate(hertz: Double(hertz))
    else { return }
    did(.sampleRateChanged(rate))
  }

  func serverDidShutDown(reason: String) {
    // The connection and the real-time thread may both find out.
    let isFirst = messenger.compareExchange(
      expected: 0, desired: LibJACK.currentThread, ordering: .acquiringAndReleasing
    ).exchanged
    guard isFirst else { return }
    guard gate.enter() else { return }
    continuation.yield(.shutdown(reason: reason))
    continuation.finish()
    propertyCall.finish()
    gate.leave()
  }

  /// Waits until JACK's thread that reported the server's end has ended, as it does when the server has.
  ///
  /// Until then jackd2 reports the other clients' ends, under a lock of the library's, and logs. Closing the
  /// client cancels the thread wherever it is. A lock it holds then, the library's or one of its log's, stays
  /// locked, and the next thread that wants it waits for ever.
  ///
  /// - Parameter timeout: How long to wait at most, in milliseconds: servers that only lost their driver, or
  ///   hang, let the thread live.
  /// - Returns: Whether it has ended; true when no thread reported an end.
  @discardableResult func awaitMessenger(timeout: Int = 5000) -> Bool {
    let thread = messenger.load(ordering: .acquiring)
    guard thread != 0 else { return true }
    let path = "/proc/self/task/\(thread)"
    for _ in 0..<timeout {
      guard access(path, F_OK) == 0 else { return true }
      usleep(1000)
    }
    return access(path, F_OK) != 0
  }

  /// Ends the stream: the client is about to be closed.
  func end() {
    gate.shut()
    continuation.finish()
    propertyCall.finish()
  }
}
