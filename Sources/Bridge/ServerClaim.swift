import Glibc
import Synchronization

/// The claim of one bridge on a JACK server: two would answer each other's answers.
///
/// It is a file where the server keeps what it shares with its clients, so whoever reaches the server reaches
/// it, with the kernel's lock on it. The lock goes with the process however that ends, nobody ever waits for
/// it, and a file that is left says nothing. What another user has put there is not looked at.
///
/// Thread-safe.
final class ServerClaim: Sendable {
  private let path: String
  private let file = Mutex<Int32?>(nil)

  /// No claim yet.
  init(server: String) {
    let name = server.map { $0 == "/" ? "_" : String($0) }.joined()
    path = "/dev/shm/jackstay_\(name)_\(getuid())"
  }

  deinit { release() }

  /// Claims the server; false when another bridge has.
  ///
  /// Where nothing can be claimed, as on a machine without that folder, it is true: no bridge could tell us.
  func take() -> Bool {
    file.withLock { file in
      guard file == nil else { return true }
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
        // Whoever had it before may have removed it after we had opened it.
        var present = stat()
        guard lstat(path, &present) == 0, present.st_ino == held.st_ino, present.st_dev == held.st_dev else {
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

  /// The process that has claimed the server, as it says itself: for people to look at.
  var holder: Int32? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 16)
    let count = pread(descriptor, &bytes, bytes.count, 0)
    guard count > 0 else { return nil }
    return Int32(String(decoding: bytes[..<count].prefix { $0 != 10 }, as: UTF8.self))
  }

  /// Gives the claim up, if there is one.
  func release() {
    file.withLock { file in
      guard let descriptor = file else { return }
      unlink(path)
      close(descriptor)
      file = nil
    }
  }
}
