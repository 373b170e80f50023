import Glibc
import Synchronization

/// The claim of one process on something that two must not have, as a file with the kernel's lock on it.
///
/// The lock goes with the process however that ends, no claim ever waits for it, and a file that is left is
/// no claim. The file belongs into an ``OwnFolder``: where another user has put it, nothing is claimed.
///
/// Thread-safe. Realtime-safe: no. The corresponding C functions are `open` and `flock`.
public final class FileClaim: Sendable {
  /// The path of the file.
  public let path: String
  private let file = Mutex<Int32?>(nil)

  /// No claim yet on the subject of the file at `path`.
  public init(at path: String) {
    self.path = path
  }

  /// No claim yet on `subject`, which all of the user's programs call so: a path, for example.
  ///
  /// The file is in the first of `folders` that can be used; `nil` where none can.
  ///
  /// - Parameters:
  ///   - subject: The common name of the subject.
  ///   - kind: The kind of the subject, in a word.
  ///   - folders: Where the file may be, best first.
  public convenience init?(on subject: String, kind: String, in folders: [OwnFolder] = OwnFolder.shared()) {
    guard let folder = OwnFolder.usable(of: folders) else { return nil }
    let characters = subject.map { character in
      switch character {
      case "/": "%2F"
      case "%": "%25"
      default: String(character)
      }
    }
    self.init(at: "\(folder.path)/\(characters.joined()).\(kind)")
  }

  deinit { release() }

  /// Claims it; false when another process, or another claim of this one, has.
  ///
  /// Where nothing can be claimed, as on a machine without that folder, it is true: no other claim could be seen.
  ///
  /// A claim that is held is taken anew when its file was removed, as at a user's logout: other processes would
  /// not see it any more.
  public func take() -> Bool {
    file.withLock { file in
      if let held = file {
        guard !FileClaim.isFile(of: held, at: path) else { return true }
        close(held)
        file = nil
      }
      while true {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
        guard descriptor >= 0 else { return true }
        var held = stat()
        guard fstat(descriptor, &held) == 0, held.st_uid == getuid(), held.st_mode & S_IFMT == S_IFREG else {
          close(descriptor)
          return true
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
          let isAnothers = errno == EWOULDBLOCK
          close(descriptor)
          return !isAnothers
        }
        // The previous holder may have removed the file after it was opened here.
        guard FileClaim.isFile(of: descriptor, at: path) else {
          close(descriptor)
          continue
        }
        let text = Array("\(getpid())\n".utf8)
        if ftruncate(descriptor, 0) == 0 { _ = pwrite(descriptor, text, text.count, 0) }
        file = descriptor
        return true
      }
    }
  }

  /// The process that has claimed it, by its own account: for messages to people.
  public var holder: Int32? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 16)
    let count = pread(descriptor, &bytes, bytes.count, 0)
    guard count > 0 else { return nil }
    return Int32(String(decoding: bytes[..<count].prefix { $0 != 10 }, as: UTF8.self))
  }

  /// Gives the claim up, if there is one. The file at the path may be another process's by now, and then stays.
  public func release() {
    file.withLock { file in
      guard let descriptor = file else { return }
      if FileClaim.isFile(of: descriptor, at: path) { unlink(path) }
      close(descriptor)
      file = nil
    }
  }

  /// Whether the file at `path` is the one that is open.
  private static func isFile(of descriptor: Int32, at path: String) -> Bool {
    var (held, present) = (stat(), stat())
    return fstat(descriptor, &held) == 0 && lstat(path, &present) == 0 && present.st_ino == held.st_ino
      && present.st_dev == held.st_dev
  }
}
