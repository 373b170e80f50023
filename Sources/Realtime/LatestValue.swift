import Synchronization

/// A mailbox that holds the latest value one thread wrote for one other thread to read.
///
/// Three slots go round between the writer, the reader and the middle: neither side ever waits for the other, and
/// values that were overwritten before they were read are skipped.
///
/// Thread-safe for exactly one writing and one reading thread. Realtime-safe on both sides.
public final class LatestValue<Value: BitwiseCopyable & Sendable>: Sendable {
  // The middle slot's index, with the top bit set while the reader has not taken it.
  @usableFromInline let middle: Atomic<UInt8>
  @usableFromInline nonisolated(unsafe) let slots: UnsafeMutablePointer<Value>
  // Index 0 belongs to the writer, index 1 to the reader; each is touched by its own thread only.
  @usableFromInline nonisolated(unsafe) let own: UnsafeMutablePointer<UInt8>

  /// A mailbox that reads as `initial` until the first write.
  public init(_ initial: Value) {
    slots = .allocate(capacity: 3)
    slots.initialize(repeating: initial, count: 3)
    own = .allocate(capacity: 2)
    own[0] = 0
    own[1] = 1
    middle = Atomic(2)
  }

  deinit {
    slots.deallocate()
    own.deallocate()
  }

  /// Makes `value` the latest one. To be called by the writing thread only.
  @inlinable
  public func write(_ value: Value) {
    slots[Int(own[0])] = value
    own[0] = middle.exchange(own[0] | 0x80, ordering: .acquiringAndReleasing) & 0x7F
  }

  /// The latest value. To be called by the reading thread only.
  @inlinable
  public func read() -> Value {
    if middle.load(ordering: .relaxed) & 0x80 != 0 {
      own[1] = middle.exchange(own[1], ordering: .acquiringAndReleasing) & 0x7F
    }
    return slots[Int(own[1])]
  }
}
