import JACK
import Realtime
import Synchronization

/// Asks JACK's transport to start and to stop on a thread of its own, where that may lock.
///
/// The cycle leaves its request here and goes on; it takes effect some cycles later than the cycle's own
/// request would.
final class TransportDesk: Sendable {
  /// A request for the transport.
  enum Wish: Sendable, BitwiseCopyable {
    case start
    case stop
  }

  /// The end that a cycle holds: a plain value, good for as long as the desk lives.
  struct Counter: Sendable {
    fileprivate let wishes: Ring<Wish>.Writer
    fileprivate let wakeup: Wakeup.Sender

    /// Has JACK asked soon, in the order in which it was wanted. Realtime-safe.
    @_noLocks
    func ask(_ wish: Wish) {
      // With sixteen of them unanswered JACK hangs, and one more does not help.
      _ = wishes.push(wish)
      wakeup.send()
    }
  }

  /// The end that a cycle holds.
  let counter: Counter

  private let clerk: Clerk
  private let wakeup: Wakeup

  /// The state that the thread keeps alive, the ring that it reads included.
  private final class Clerk: Sendable {
    /// The client is not to be kept by a thread that its own end waits for.
    private struct Employer {
      weak var client: ActiveClient?
    }

    private let employer = Mutex(Employer())
    private let ring = Ring<Wish>(capacity: 16)

    var wishes: Ring<Wish>.Writer { ring.writer }

    func serve(_ client: ActiveClient) { employer.withLock { $0.client = client } }

    func answer() {
      guard let client = employer.withLock({ $0.client }) else { return }
      while let wish = ring.reader.pop() {
        switch wish {
        case .start: client.startTransport()
        case .stop: client.stopTransport()
        }
      }
    }
  }

  /// A desk that keeps requests until there is a client.
  init() {
    let clerk = Clerk()
    self.clerk = clerk
    wakeup = Wakeup { clerk.answer() }
    counter = Counter(wishes: clerk.wishes, wakeup: wakeup.sender)
  }

  /// Uses this client from now on, first for requests from before there was one. Thread-safe.
  func serve(_ client: ActiveClient) {
    clerk.serve(client)
    wakeup.sender.send()
  }
}
