import Synchronization

/// A count that one thread raises and any thread reads.
///
/// Thread-safe. Realtime-safe.
public final class Counter: Sendable {
  @usableFromInline let storage = Atomic<Int>(0)

  /// A counter at zero.
  public init() {}

  /// The count so far.
  @inlinable public var value: Int { storage.load(ordering: .relaxed) }

  /// Adds one.
  @inlinable
  public func increment() {
    storage.wrappingAdd(1, ordering: .relaxed)
  }
}

/// A number that any thread sets and any thread reads.
///
/// Thread-safe. Realtime-safe.
public final class SharedInteger: Sendable {
  @usableFromInline let storage: Atomic<Int64>

  /// A number that starts as `initial`.
  public init(_ initial: Int64) {
    storage = Atomic(initial)
  }

  /// The number.
  @inlinable public var value: Int64 {
    get { storage.load(ordering: .relaxed) }
    set { storage.store(newValue, ordering: .relaxed) }
  }
}
