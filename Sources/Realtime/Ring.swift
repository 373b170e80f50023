import Synchronization

/// A bounded queue from one thread to one other thread.
///
/// Thread-safe for exactly one pushing and one popping thread. Realtime-safe on both sides: nothing is allocated
/// after construction and nobody waits; when the ring is full the item is refused and stays with the caller.
public final class Ring<Element: BitwiseCopyable & Sendable>: Sendable {
  @usableFromInline nonisolated(unsafe) let slots: UnsafeMutablePointer<Element>
  @usableFromInline let mask: Int
  // Counts of all items ever pushed and popped; their difference is what the ring holds.
  @usableFromInline let pushed = Atomic<Int>(0)
  @usableFromInline let popped = Atomic<Int>(0)

  /// A ring for at least `capacity` items, 1 to 65,536; the next power of two is used.
  public init(capacity: Int) {
    precondition((1...65_536).contains(capacity), "a ring holds 1 to 65536 items, not \(capacity)")
    var size = 1
    while size < capacity { size *= 2 }
    mask = size - 1
    slots = .allocate(capacity: size)
  }

  deinit {
    slots.deallocate()
  }

  /// Appends `element`, or returns `false` when the ring is full. To be called by the pushing thread only.
  @inlinable
  public func push(_ element: Element) -> Bool {
    let tail = pushed.load(ordering: .relaxed)
    guard tail &- popped.load(ordering: .acquiring) <= mask else { return false }
    (slots + (tail & mask)).initialize(to: element)
    pushed.store(tail &+ 1, ordering: .releasing)
    return true
  }

  /// Removes and returns the oldest item, or `nil` when there is none. To be called by the popping thread only.
  @inlinable
  public func pop() -> Element? {
    let head = popped.load(ordering: .relaxed)
    guard pushed.load(ordering: .acquiring) != head else { return nil }
    let element = slots[head & mask]
    popped.store(head &+ 1, ordering: .releasing)
    return element
  }
}
