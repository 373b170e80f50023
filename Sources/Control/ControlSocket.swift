import Glibc
import Host
import Synchronization
import Words

/// The socket at which a bridge takes commands: a file that only its user may open.
///
/// It is called by a name, which one bridge has at a time. The claim on the name goes with the process; so a
/// socket whose bridge was killed is known by that, and replaced.
///
/// Thread-safe. Realtime-safe: no.
public final class ControlSocket: Sendable {
  /// The name: the one that was asked for, or if another bridge has that, the first of name-2 to name-9 that is
  /// free.
  public let name: String
  /// The process that has the requested name, by its own account; `nil` if this bridge has it, or it is not
  /// known.
  public let holder: Int32?

  /// The socket to connect with at present. ``renew()`` closes it when it makes another.
  var descriptor: Int32 { state.withLock { $0.listener.descriptor } }

  private let places: ControlPlaces
  private let state: Mutex<State>

  private struct State {
    var listener: Listener
    var isRemoved = false
  }

  /// How many bridges of one name there may be.
  private static let namesakes = 9

  /// Opens a socket in the first folder of `places` that can be used, with the name or one like it.
  public init(name wanted: String, in places: ControlPlaces) throws(ControlError) {
    var reason: ControlError?
    for folder in places.folders {
      do throws(ControlError) {
        let found = try ControlSocket.open(wanted, in: folder, of: places)
        self.places = places
        state = Mutex(State(listener: found.listener))
        (name, holder) = (found.name, found.holder)
        return
      } catch {
        reason = reason ?? error
      }
    }
    throw reason ?? ControlError("there is no folder for a socket; set XDG_RUNTIME_DIR to a folder of yours")
  }

  private static func open(
    _ wanted: String, in folder: ControlFolder, of places: ControlPlaces
  ) throws(ControlError) -> (listener: Listener, name: String, holder: Int32?) {
    var holder: Int32?
    for name in [wanted] + (2...namesakes).map({ "\(wanted)-\($0)" }) {
      let others = places.folders.filter { $0 != folder }
      if others.contains(where: { ControlClient.isRunning(name, in: $0) }) { continue }
      if let listener = try Listener(name, in: folder) { return (listener, name, holder) }
      if name == wanted { holder = FileClaim(at: Listener.claimPath(of: name, in: folder)).holder }
    }
    throw ControlError(
      "\(namesakes) bridges are called \"\(wanted.echoed())\" already; choose another --name")
  }

  /// Takes the socket's file away, and gives the name up: no command finds the bridge any more. Calling it again does
  /// no harm.
  public func remove() {
    state.withLock { state in
      guard !state.isRemoved else { return }
      state.isRemoved = true
      state.listener.remove()
    }
  }

  /// Sees to it that commands find the bridge: makes the socket anew where its file was removed, and where a better
  /// folder has come, or the folder has gone, in another one. The name stays.
  ///
  /// For the one thread that uses ``descriptor``.
  ///
  /// - Parameter takeIn: Takes in those that have connected with the old socket, before that closes.
  func renew(_ takeIn: (_ descriptor: Int32) -> Void) {
    state.withLock { state in
      guard !state.isRemoved else { return }
      for folder in places.folders {
        if folder == state.listener.folder, state.listener.isThere { return }
        // In its old place the name is claimed already, by the old socket.
        if folder == state.listener.folder { state.listener.remove() }
        guard let new = try? Listener(name, in: folder) else { continue }
        state.listener.remove()
        takeIn(state.listener.descriptor)
        state.listener = new
        return
      }
    }
  }
}

/// A socket with a path that is listened to, and the claim on its name. Not thread-safe; it closes with the object.
private final class Listener: @unchecked Sendable {
  let folder: ControlFolder
  let descriptor: Int32
  private let path: String
  private let claim: FileClaim
  /// The file's numbers: another bridge may have made another in its place.
  private let file: stat

  /// How many may wait to be taken in.
  private static let backlog: Int32 = 16

  /// The file that stands for the name.
  static func claimPath(of name: String, in folder: ControlFolder) -> String {
    folder.path(of: "\(name).lock")
  }

  /// A socket called `name`, in place of one that is left of a bridge that was killed; `nil` where a bridge has it.
  init?(_ name: String, in folder: ControlFolder) throws(ControlError) {
    try folder.make()
    path = folder.socketPath(of: name)
    guard UnixSocket.takes(path) else {
      throw ControlError(
        "\(path.echoed(limit: 200)) is too long for a socket; choose a shorter --name, or XDG_RUNTIME_DIR")
    }
    claim = FileClaim(at: Listener.claimPath(of: name, in: folder))
    self.folder = folder
    guard claim.take() else { return nil }
    do throws(ControlError) {
      (descriptor, file) = try Listener.listen(at: path)
    } catch {
      claim.release()
      throw error
    }
  }

  deinit { close(descriptor) }

  /// Whether commands find it, and by its claim other bridges.
  var isThere: Bool { isFile && claim.take() }

  /// Takes its file away, and gives the name up.
  func remove() {
    if isFile { unlink(path) }
    claim.release()
  }

  private var isFile: Bool {
    var found = stat()
    return lstat(path, &found) == 0 && found.st_ino == file.st_ino && found.st_dev == file.st_dev
  }

  private static func listen(at path: String) throws(ControlError) -> (Int32, stat) {
    let descriptor = UnixSocket.make(isBlocking: false)
    guard descriptor >= 0 else {
      throw ControlError(
        "the control socket cannot be created", errno: errno, "end other programs, and try again")
    }
    unlink(path)
    let code = UnixSocket.bind(descriptor, to: path)
    var file = stat()
    // No program can connect before it listens.
    guard code == 0, chmod(path, 0o600) == 0, lstat(path, &file) == 0, Glibc.listen(descriptor, backlog) == 0
    else {
      let number = code == 0 ? errno : code
      close(descriptor)
      throw ControlError(
        "\(path.echoed(limit: 200)) cannot be made", errno: number, "remove what is there, or free some space"
      )
    }
    return (descriptor, file)
  }
}
