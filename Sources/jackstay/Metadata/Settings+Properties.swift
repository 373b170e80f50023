import JACK
import Settings

extension Settings {
  /// Whether the client has properties.
  ///
  /// jackd2 keeps them in a Berkeley DB that all servers and clients of a user share, with no process that
  /// would find a deadlock: two that write at once can wait for each other for ever, and so does every later
  /// one. All of them wait, too, when one is killed while it writes. PipeWire's are messages between its
  /// clients.
  var hasProperties: Bool {
    switch metadata {
    case .auto: JACKLibrary.isPipeWire
    case .on: true
    case .off: false
    }
  }
}
