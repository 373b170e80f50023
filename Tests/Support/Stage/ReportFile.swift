import Glibc
import Synchronization

/// A file that a program under test reports into, in memory, with a name of its own. It goes with this
/// object.
final class ReportFile: Sendable {
  let path: String
  private static let count = Atomic<Int>(0)

  /// A name for a file that the program creates. `kind` is the part of it that people recognise.
  init(_ kind: String) {
    let number = ReportFile.count.wrappingAdd(1, ordering: .relaxed).newValue
    path = "/dev/shm/\(kind)-\(getpid())-\(number)"
  }

  deinit { unlink(path) }
}
