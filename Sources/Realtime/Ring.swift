import Synchronization

/// A bounded queue from one thread to one other thread.
///
/// Nothing is allocated after construction and no thread waits; when the ring is full the item is rejected
/// and stays with the caller.
///
/// The two ends are plain values without reference counts, good for as long as the ring lives. Realtime-safe.
public final class Ring<Element: BitwiseCopyable & Sendable>: Sendable {
  /// The end that pushes, for one thread at a time.
  public let writer: Writer
  /// The end that pops, for one thread at a time.
  public let reader: Reader

  private nonisolated(unsafe) let slots: UnsafeMutablePointer<Element>
  private nonisolated(unsafe) let counts: UnsafeMutablePointer<RingCounts>

  /// A ring for at least `capacity` items, 1 to 65,536; the next power of two is used.
  public init(capacity: Int) {
    precondition((1...65_536).contains(capacity), "a ring holds 1 to 65536 items, not \(capacity)")
    var size = 1
    while size < capacity { size *= 2 }
    slots = .allocate(capacity: size)
    counts = .allocate(capacity: 1)
    counts.initialize(to: RingCounts())
    writer = Writer(slots: slots, counts: counts, mask: size - 1)
    reader = Reader(slots: slots, counts: counts, mask: size - 1)
  }

  /// Whether the reader has removed all that was pushed. Thread-safe.
  public var isEmpty: Bool {
    counts.pointee.popped.load(ordering: .acquiring) == counts.pointee.pushed.load(ordering: .acquiring)
  }

  deinit {
    slots.deallocate()
    counts.deinitialize(count: 1)
    counts.deallocate()
  }

  /// The pushing end of a ``Ring``.
  public struct Writer: @unchecked Sendable {
    @usableFromInline let slots: UnsafeMutablePointer<Element>
    @usableFromInline let counts: UnsafeMutablePointer<RingCounts>
    @usableFromInline let mask: Int

    /// Appends `element`, or returns `false` when the ring is full. Realtime-safe.
    @inlinable
    public func push(_ element: Element) -> Bool {
      let tail = counts.pointee.pushed.load(ordering: .relaxed)
      guard tail &- counts.pointee.popped.load(ordering: .acquiring) <= mask else { return false }
      slots[tail & mask] = element
      counts.pointee.pushed.store(tail &+ 1, ordering: .releasing)
      return true
    }

    /// How many items the reader has not removed yet. Realtime-safe.
    @inlinable
    public var waiting: Int {
      counts.pointee.pushed.load(ordering: .relaxed) &- counts.pointee.popped.load(ordering: .acquiring)
    }

    /// The item that was pushed last for 1, the one before it for 2, and so on: one of those that were ``waiting``
    /// since the last push. Realtime-safe.
    @inlinable
    public func pushed(back: Int) -> Element {
      slots[(counts.pointee.pushed.load(ordering: .relaxed) &- back) & mask]
    }
  }

  /// The popping end of a ``Ring``.
  public struct Reader: @unchecked Sendable {
    @usableFromInline let slots: UnsafeMutablePointer<Element>
    @usableFromInline let counts: UnsafeMutablePointer<RingCounts>
    @usableFromInline let mask: Int

    /// The oldest item, which stays in the ring, or `nil` when there is none. Realtime-safe.
    @inlinable
    public func first() -> Element? {
      let head = counts.pointee.popped.load(ordering: .relaxed)
      guard counts.pointee.pushed.load(ordering: .acquiring) != head else { return nil }
      return slots[head & mask]
    }

    /// Removes and returns the oldest item, or `nil` when there is none. Realtime-safe.
    @inlinable
    public func pop() -> Element? {
      let head = counts.pointee.popped.load(ordering: .relaxed)
      guard counts.pointee.pushed.load(ordering: .acquiring) != head else { return nil }
      let element = slots[head & mask]
      counts.pointee.popped.store(head &+ 1, ordering: .releasing)
      return element
    }
  }
}

/// How many items a ring has ever taken and given; the difference is the number in it.
@usableFromInline
struct RingCounts: ~Copyable {
  @usableFromInline let pushed = Atomic<Int>(0)
  @usableFromInline let popped = Atomic<Int>(0)

  @usableFromInline
  init() {}
}
