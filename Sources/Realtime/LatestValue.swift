import Synchronization

/// A mailbox that holds the latest value one thread wrote for one other thread to read.
///
/// Three slots go round between the writer, the reader and the middle: neither side ever waits for the other,
/// and values that were overwritten before they were read are skipped.
///
/// The two ends are plain values without reference counts, good for as long as the mailbox lives.
/// Realtime-safe.
public final class LatestValue<Value: BitwiseCopyable & Sendable>: Sendable {
  /// The end that writes, for one thread at a time.
  public let writer: Writer
  /// The end that reads, for one thread at a time.
  public let reader: Reader

  private nonisolated(unsafe) let slots: UnsafeMutablePointer<Value>
  private nonisolated(unsafe) let middle: UnsafeMutablePointer<Atomic<UInt8>>
  // The slot that belongs to the writer, and the one that belongs to the reader.
  private nonisolated(unsafe) let own: UnsafeMutablePointer<UInt8>

  /// A mailbox that reads as `initial` until the first write.
  public init(_ initial: Value) {
    slots = .allocate(capacity: 3)
    slots.initialize(repeating: initial, count: 3)
    middle = .allocate(capacity: 1)
    middle.initialize(to: Atomic(2))
    own = .allocate(capacity: 2)
    own.initialize(to: 0)
    (own + 1).initialize(to: 1)
    writer = Writer(slots: slots, middle: middle, own: own)
    reader = Reader(slots: slots, middle: middle, own: own + 1)
  }

  deinit {
    slots.deallocate()
    middle.deinitialize(count: 1)
    middle.deallocate()
    own.deallocate()
  }

  /// The writing end of a ``LatestValue``.
  public struct Writer: @unchecked Sendable {
    @usableFromInline let slots: UnsafeMutablePointer<Value>
    @usableFromInline let middle: UnsafeMutablePointer<Atomic<UInt8>>
    @usableFromInline let own: UnsafeMutablePointer<UInt8>

    /// Makes `value` the latest one. Realtime-safe.
    @inlinable
    public func write(_ value: Value) {
      slots[Int(own.pointee)] = value
      // The top bit means that the reader has not seen this slot.
      let previous = middle.pointee.exchange(own.pointee | 0x80, ordering: .acquiringAndReleasing)
      own.pointee = previous & 0x7F
    }
  }

  /// The reading end of a ``LatestValue``.
  public struct Reader: @unchecked Sendable {
    @usableFromInline let slots: UnsafeMutablePointer<Value>
    @usableFromInline let middle: UnsafeMutablePointer<Atomic<UInt8>>
    @usableFromInline let own: UnsafeMutablePointer<UInt8>

    /// The latest value. Realtime-safe.
    @inlinable
    public func read() -> Value {
      if middle.pointee.load(ordering: .relaxed) & 0x80 != 0 {
        let taken = middle.pointee.exchange(own.pointee, ordering: .acquiringAndReleasing)
        own.pointee = taken & 0x7F
      }
      return slots[Int(own.pointee)]
    }
  }
}
