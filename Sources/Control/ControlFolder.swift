import Glibc
import Host
import Words

/// A folder with the sockets of one user's running bridges, into which no other user may look.
struct ControlFolder: Sendable, Hashable {
  private let folder: OwnFolder

  /// The path.
  var path: String { folder.path }

  /// The folder at `path`, whether it is there or not.
  init(_ path: String) { folder = OwnFolder(path) }

  /// Makes the folder if it is not there, and closes it to other users.
  func make() throws(ControlError) {
    do throws(OwnFolder.Fault) {
      try folder.make()
    } catch {
      throw self.error(error)
    }
  }

  /// Whether the folder is there. Throws when it is another user's, no folder, or one in which
  /// others can put a socket of theirs.
  func exists() throws(ControlError) -> Bool {
    do throws(OwnFolder.Fault) {
      return try folder.exists()
    } catch {
      throw self.error(error)
    }
  }

  /// The path of a file in it.
  func path(of name: String) -> String { "\(path)/\(name)" }

  /// The path of the socket of the bridge called `name`.
  func socketPath(of name: String) -> String { path(of: name + ControlFolder.ending) }

  /// The names of all sockets in it, in order; a bridge need not answer at each of them.
  func socketNames() throws(ControlError) -> [String] {
    guard try exists() else { return [] }
    return (SystemFile.names(in: path) ?? []).filter { $0.hasSuffix(ControlFolder.ending) }
      .map { String($0.dropLast(ControlFolder.ending.count)) }.sorted()
  }

  /// How the names of sockets end.
  private static let ending = ".sock"

  private func error(_ fault: OwnFolder.Fault) -> ControlError {
    let echo = path.echoed(limit: 200)
    return switch fault {
    case .notMade(let number):
      ControlError(
        "\(echo) cannot be made", errno: number, "set XDG_RUNTIME_DIR to a folder of yours that exists")
    case .gone: ControlError("\(echo) is gone; set XDG_RUNTIME_DIR to a folder of yours that exists")
    case .notOpened(let number):
      ControlError(
        "\(echo) cannot be opened", errno: number, "it has to be a folder of yours: remove what is there")
    case .anothers(let user):
      ControlError(
        "\(echo) belongs to another user (uid \(user)); remove it, or set XDG_RUNTIME_DIR to a folder of yours"
      )
    case .writable:
      ControlError(
        "other users can write to \(echo); make it yours alone: chmod 700, and look what is there")
    case .notClosed(let number):
      ControlError("\(echo) is open to others", errno: number, "make it yours alone: chmod 700")
    }
  }
}
