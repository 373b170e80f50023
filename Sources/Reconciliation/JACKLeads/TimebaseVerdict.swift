/// The result of checking a ``TimebaseReading``.
public enum TimebaseVerdict: Sendable, Equatable {
  /// The owner declares nothing valid: there is no position.
  case absent
  /// The position makes sense.
  case position(OwnerPosition)
  /// A field contradicts the others, or itself.
  case fault(TimebaseFault)
}
