import JACK

/// The reports while a bridge waits for a server: the reason at first, and another reason that lasts.
///
/// Which reason there is costs some reading, so it is looked for now and then.
struct ServerWait {
  /// How far apart two looks are at least.
  static let interval = Duration.seconds(2)

  private var looked: ContinuousClock.Instant?
  private var seen: JACKError?
  private var told: JACKError?

  /// A wait that has just begun.
  init() {}

  /// Whether it is time to look for the reason.
  func isLookDue(at now: ContinuousClock.Instant) -> Bool {
    looked.map { now - $0 >= ServerWait.interval } ?? true
  }

  /// Takes the reason that was found, and returns it if it is to be reported.
  ///
  /// A reason that is seen once may be over already, as that a server is starting is.
  mutating func news(_ reason: JACKError, at now: ContinuousClock.Instant) -> JACKError? {
    defer {
      looked = now
      seen = reason
    }
    let isFirst = told == nil
    var isMore = reason == seen && reason != told
    if case .serverNotRunning = reason { isMore = false }
    guard isFirst || isMore else { return nil }
    told = reason
    return reason
  }
}
