import CStage
import Glibc

/// The only network there is in an isolated process, and what its children share.
public enum Loopback {
  /// Runs the body while the network is away, and has it back whatever happens.
  ///
  /// - Throws: What the body throws, and ``StageError`` when the process is not isolated or it cannot be
  ///   switched.
  public static func withoutNetwork<Result>(_ body: () throws -> Result) throws -> Result {
    try set(isUp: false)
    let result = Swift.Result { try body() }
    try set(isUp: true)
    return try result.get()
  }

  private static func set(isUp: Bool) throws(StageError) {
    try Isolation.require()
    let error = stage_set_loopback(isUp ? 1 : 0)
    guard error == 0 else {
      throw .unusable("cannot take lo \(isUp ? "up" : "down"): \(String(cString: strerror(error)))")
    }
  }
}
