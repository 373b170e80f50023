import CStage
import Testing

/// A sanitizer that this process, and with it all programs of the package, is built with.
public enum Sanitizer: String, Sendable {
  /// AddressSanitizer.
  case address
  /// ThreadSanitizer.
  case thread

  /// The one in this process; nil in an ordinary build.
  public static let current = stage_sanitizer().flatMap { Sanitizer(rawValue: String(cString: $0)) }

  /// Why a test cannot run in such a build: it has the program load a library first.
  public static let bearsNoInterposer: Comment =
    "a program with a sanitizer has its own malloc and locks, and no library may come before them"
  /// How many times as long as usual something may take: instrumented programs run, and start, more slowly.
  public static let patience = current == nil ? 1 : 10
}
