/// Whose JACK's timebase is, as a server has answered.
enum TimebaseAnswer: Sendable {
  /// Ours.
  case ours
  /// Ours, and another client's until now.
  case retaken
  /// Another client's.
  case anothers
  /// Nobody's: it was given up.
  case nobodys
  /// There is no answer, as when the server has gone.
  case unknown
}
