import MusicalTime
import Synchronization

/// Turns what JACK's notification thread tells into a stream of events.
///
/// Its methods run on threads of JACK and return at once.
final class Notifications: Sendable {
  /// Old events give way to new ones; shutdown is the last and therefore never lost.
  static let capacity = 256

  let events: AsyncStream<ServerEvent>
  private let continuation: AsyncStream<ServerEvent>.Continuation
  private let gate = CallbackGate()
  private let isGone = Atomic<Bool>(false)
  private let lastBufferSize: Atomic<UInt32>
  private let lastSampleRate: Atomic<UInt32>

  init(bufferSize: UInt32, sampleRate: UInt32) {
    lastBufferSize = Atomic(bufferSize)
    lastSampleRate = Atomic(sampleRate)
    (events, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(Self.capacity))
  }

  var serverIsGone: Bool { isGone.load(ordering: .acquiring) }
  var bufferSize: UInt32 { lastBufferSize.load(ordering: .relaxed) }
  var sampleRate: SampleRate {
    SampleRate(hertz: Double(lastSampleRate.load(ordering: .relaxed))) ?? .standard
  }

  func did(_ event: ServerEvent) {
    guard gate.enter() else { return }
    continuation.yield(event)
    gate.leave()
  }

  func bufferSizeDidChange(to frameCount: UInt32) {
    // jackd2 also calls when the client is activated.
    guard lastBufferSize.exchange(frameCount, ordering: .relaxed) != frameCount else { return }
    did(.bufferSizeChanged(frameCount))
  }

  func sampleRateDidChange(to hertz: UInt32) {
    guard lastSampleRate.exchange(hertz, ordering: .relaxed) != hertz,
      let rate = SampleRate(hertz: Double(hertz))
    else { return }
    did(.sampleRateChanged(rate))
  }

  func serverDidShutDown(reason: String) {
    // The connection and the real-time thread may both find out.
    guard !isGone.exchange(true, ordering: .acquiringAndReleasing) else { return }
    guard gate.enter() else { return }
    continuation.yield(.shutdown(reason: reason))
    continuation.finish()
    gate.leave()
  }

  /// Ends the stream: the client is about to be closed.
  func end() {
    gate.shut()
    continuation.finish()
  }
}
