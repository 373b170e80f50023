import Host
import JACK
import Synchronization

/// The claim of one bridge on a JACK server: two bridges on one server would answer each other's answers.
///
/// It is on the server that was reached, not on a name, and in a folder that is the same for all of the user's
/// programs and that no other user can write to.
///
/// Thread-safe. Realtime-safe: no.
final class ServerClaim: Sendable {
  private let folders: [OwnFolder]
  private let current = Mutex<FileClaim?>(nil)

  /// No claim yet; claims are files in the first of `folders` that can be used.
  init(in folders: [OwnFolder] = OwnFolder.shared()) { self.folders = folders }

  /// Claims the server at `address`, and gives up the claim on another one; false when another bridge has it.
  ///
  /// Where nothing can be claimed it is true, as ``FileClaim/take()`` is.
  func take(_ address: ServerAddress) -> Bool {
    guard let claim = FileClaim(on: address.description, kind: "server", in: folders) else { return true }
    return current.withLock { current in
      if let current, current.path == claim.path { return current.take() }
      current?.release()
      current = claim
      return claim.take()
    }
  }

  /// Claims the server that was last asked for, once more; false when another bridge still has it.
  func takeAgain() -> Bool {
    // The folder goes when the user's files are removed at a logout.
    _ = OwnFolder.usable(of: folders)
    return current.withLock { $0?.take() ?? true }
  }

  /// The process that has claimed the server that was last asked for, by its own account: for messages to
  /// people.
  var holder: Int32? { current.withLock { $0?.holder } }

  /// Gives the claim up, if there is one.
  func release() { current.withLock { $0?.release() } }
}
