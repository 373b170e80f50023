import Glibc
import Host
import Settings
import Synchronization

/// The socket at which a bridge can be told things: a file that only its user may open.
///
/// It is called by a name, which one bridge has at a time. The claim on the name goes with the process; so a
/// socket whose bridge was killed is known by that, and replaced.
///
/// Thread-safe. Realtime-safe: no.
public final class ControlSocket: Sendable {
  /// The name: the one that was asked for, or if another bridge has that, the first of name-2 to name-9 which
  /// nobody has.
  public let name: String
  /// The process that has the name which was asked for, as it says itself; `nil` if we have it, or nobody
  /// knows.
  public let holder: Int32?

  let descriptor: Int32
  private let path: String
  private let claim: FileClaim
  private let isRemoved = Mutex(false)

  /// How many bridges of one name there may be.
  private static let namesakes = 9
  /// How many may wait to be taken in.
  private static let backlog: Int32 = 16

  /// Opens a socket in `folder`, with the name or one like it.
  public init(name wanted: String, in folder: ControlFolder) throws(ControlError) {
    try folder.make()
    let names = [wanted] + (2...ControlSocket.namesakes).map { "\(wanted)-\($0)" }
    var holder: Int32?
    for name in names {
      let path = folder.path(of: name + ControlFolder.ending)
      guard UnixSocket.takes(path) else {
        throw ControlError(
          "\(path.echoed(limit: 200)) is too long for a socket; choose a shorter --name, or XDG_RUNTIME_DIR")
      }
      let claim = FileClaim(at: folder.path(of: "\(name).lock"))
      guard claim.take() else {
        if name == wanted { holder = claim.holder }
        continue
      }
      do throws(ControlError) {
        descriptor = try ControlSocket.listen(at: path)
      } catch {
        claim.release()
        throw error
      }
      (self.name, self.holder, self.path, self.claim) = (name, holder, path, claim)
      return
    }
    throw ControlError(
      "\(ControlSocket.namesakes) bridges are called \"\(wanted.echoed())\" already; choose another --name")
  }

  deinit {
    remove()
    close(descriptor)
  }

  /// Takes the socket's file away, and gives the name up: nobody finds it any more. Calling it again does no
  /// harm.
  public func remove() {
    isRemoved.withLock { isRemoved in
      guard !isRemoved else { return }
      isRemoved = true
      unlink(path)
      claim.release()
    }
  }

  /// A socket at `path`, in place of one that is left of a bridge that was killed.
  private static func listen(at path: String) throws(ControlError) -> Int32 {
    let descriptor = UnixSocket.make(isBlocking: false)
    guard descriptor >= 0 else {
      throw ControlError("there is no socket to be had", errno: errno, "end other programs, and try again")
    }
    unlink(path)
    let code = UnixSocket.bind(descriptor, to: path)
    // Nobody can connect before it listens.
    guard code == 0, chmod(path, 0o600) == 0, Glibc.listen(descriptor, backlog) == 0 else {
      let number = code == 0 ? errno : code
      close(descriptor)
      throw ControlError(
        "\(path.echoed(limit: 200)) cannot be made", errno: number, "remove what is there, or free some space"
      )
    }
    return descriptor
  }
}
