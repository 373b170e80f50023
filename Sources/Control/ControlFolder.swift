import Glibc
import Settings

/// Where the sockets of one user's running bridges are, which nobody else may look into.
///
/// That is the folder `jackstay` in `XDG_RUNTIME_DIR`, or where that is not set in `/run/user/UID`, if there
/// is one; and else `/tmp/jackstay-UID`.
public struct ControlFolder: Sendable, Hashable {
  /// The path.
  public let path: String

  /// The folder of the user with the number `user`, whose environment that is.
  ///
  /// A relative `XDG_RUNTIME_DIR` does not count, as the XDG Base Directory Specification asks.
  public init(environment: [String: String], user: UInt32 = getuid()) {
    self.init(environment: environment, user: user, isFolder: ControlFolder.isFolder)
  }

  init(environment: [String: String], user: UInt32, isFolder: (String) -> Bool) {
    let runtime = "/run/user/\(user)"
    if let folder = environment["XDG_RUNTIME_DIR"], folder.hasPrefix("/") {
      path = "\(folder)/jackstay"
    } else if isFolder(runtime) {
      path = "\(runtime)/jackstay"
    } else {
      path = "/tmp/jackstay-\(user)"
    }
  }

  /// Makes the folder if it is not there, and sees to it that it is the user's own and nobody else can look
  /// into it.
  ///
  /// The corresponding C functions are `mkdir`, `fstat` and `fchmod`.
  func make() throws(ControlError) {
    if mkdir(path, 0o700) != 0, errno != EEXIST {
      throw ControlError(
        "\(echo) cannot be made", errno: errno, "set XDG_RUNTIME_DIR to a folder of yours that exists")
    }
    guard try look(mends: true) else {
      throw ControlError("\(echo) is gone; set XDG_RUNTIME_DIR to a folder of yours that exists")
    }
  }

  /// Whether the folder is there. Throws when it is another user's, or others can look into it.
  func exists() throws(ControlError) -> Bool { try look(mends: false) }

  private func look(mends: Bool) throws(ControlError) -> Bool {
    let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else {
      if errno == ENOENT { return false }
      throw ControlError(
        "\(echo) cannot be opened", errno: errno, "it has to be a folder of yours: remove what is there")
    }
    defer { close(descriptor) }
    var found = stat()
    guard fstat(descriptor, &found) == 0, found.st_uid == getuid() else {
      throw ControlError("\(echo) belongs to another user; set XDG_RUNTIME_DIR to a folder of yours")
    }
    guard found.st_mode & 0o777 != 0o700, mends else { return true }
    guard fchmod(descriptor, 0o700) == 0 else {
      throw ControlError("\(echo) is open to others", errno: errno, "make it yours alone: chmod 700")
    }
    return true
  }

  /// The path of a file in it.
  func path(of name: String) -> String { "\(path)/\(name)" }

  /// The names of all sockets in it, in order; there need not be anybody behind them.
  ///
  /// The corresponding C functions are `opendir` and `readdir`.
  func socketNames() throws(ControlError) -> [String] {
    guard try exists(), let folder = opendir(path) else { return [] }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
      let file = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if file.hasSuffix(ControlFolder.ending) {
        names.append(String(file.dropLast(ControlFolder.ending.count)))
      }
    }
    return names.sorted()
  }

  /// What the files of sockets end with.
  static let ending = ".sock"

  private var echo: String { path.echoed(limit: 200) }

  private static func isFolder(_ path: String) -> Bool {
    var found = stat()
    return stat(path, &found) == 0 && found.st_mode & S_IFMT == S_IFDIR && found.st_uid == getuid()
  }
}
