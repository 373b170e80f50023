import Foundation
import Glibc
import Synchronization

/// A folder for what running programs keep for each other, such as sockets: `XDG_RUNTIME_DIR`.
///
/// It is in the process's own `/dev/shm`, and goes with the object.
public final class RuntimeFolder: Sendable {
  /// The path.
  public let path: String
  private static let count = Atomic<Int>(0)

  /// A new one, that is empty.
  ///
  /// - Throws: ``StageError`` when it cannot be made.
  public init() throws(StageError) {
    try Isolation.require()
    let number = RuntimeFolder.count.wrappingAdd(1, ordering: .relaxed).newValue
    path = "/dev/shm/runtime-\(getpid())-\(number)"
    guard mkdir(path, 0o700) == 0 else {
      throw .unusable("\(path) cannot be made: \(String(cString: strerror(errno)))")
    }
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// The variables that a program needs in its environment to use it.
  public var environment: [String: String?] { ["XDG_RUNTIME_DIR": path] }
}
