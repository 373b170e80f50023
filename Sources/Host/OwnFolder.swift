import Glibc

/// A folder that belongs to this process's user, and into which no other user can look or write.
///
/// Thread-safe. Realtime-safe: no.
public struct OwnFolder: Sendable, Hashable {
  /// The path.
  public let path: String

  /// Why a folder cannot be used.
  public enum Fault: Error, Hashable {
    /// It is not there and cannot be made, for the reason in the error number.
    case notMade(errno: Int32)
    /// It cannot be opened, for the reason in the error number: it is no folder, for example.
    case notOpened(errno: Int32)
    /// It belongs to another user.
    case anothers(user: UInt32)
    /// Other users can write to it.
    case writable
    /// Others can look into it, and that cannot be changed, for the reason in the error number.
    case notClosed(errno: Int32)
    /// It was removed meanwhile.
    case gone
  }

  /// The folder at `path`, whether it is there or not.
  public init(_ path: String) { self.path = path }

  /// Where a user may have a folder that no environment variable moves, best first.
  ///
  /// Any user can make the first two, so their owner counts: another user who takes one of them only has all
  /// of this user's programs go on to the next. The first is where JACK servers keep the memory that they
  /// share with clients, so programs that reach one server reach it, too.
  public static func shared(user: UInt32 = getuid()) -> [OwnFolder] {
    ["/dev/shm/jackstay-\(user)", "/tmp/jackstay-\(user)", "/run/user/\(user)/jackstay"].map { OwnFolder($0) }
  }

  /// The first of `folders` that can be used, made where it was not there; `nil` where none can.
  public static func usable(of folders: [OwnFolder]) -> OwnFolder? {
    folders.first { folder in
      do throws(Fault) {
        try folder.make()
        return true
      } catch {
        return false
      }
    }
  }

  /// Makes the folder if it is not there, and closes it to other users.
  ///
  /// The corresponding C functions are `mkdir`, `fstat` and `fchmod`.
  public func make() throws(Fault) {
    if mkdir(path, 0o700) != 0, errno != EEXIST { throw .notMade(errno: errno) }
    guard try look(closes: true) else { throw .gone }
  }

  /// Whether the folder is there. Throws when it is not this user's own, or others can write to it.
  public func exists() throws(Fault) -> Bool { try look(closes: false) }

  /// Whether there is a folder at `path` that belongs to `user`.
  public static func belongs(_ path: String, to user: UInt32 = getuid()) -> Bool {
    var found = stat()
    return stat(path, &found) == 0 && found.st_mode & S_IFMT == S_IFDIR && found.st_uid == user
  }

  private func look(closes: Bool) throws(Fault) -> Bool {
    let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else {
      if errno == ENOENT { return false }
      throw .notOpened(errno: errno)
    }
    defer { close(descriptor) }
    var found = stat()
    guard fstat(descriptor, &found) == 0 else { throw .notOpened(errno: errno) }
    guard found.st_uid == getuid() else { throw .anothers(user: found.st_uid) }
    guard closes || found.st_mode & 0o022 == 0 else { throw .writable }
    guard found.st_mode & 0o777 != 0o700, closes else { return true }
    guard fchmod(descriptor, 0o700) == 0 else { throw .notClosed(errno: errno) }
    return true
  }
}
