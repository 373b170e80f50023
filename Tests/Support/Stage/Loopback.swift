import CStage
import Glibc

/// The only network there is in an isolated process, and what its children share.
public enum Loopback {
  /// Runs the body while the network is away, and restores it in any case.
  ///
  /// - Throws: The errors of the body, and ``StageError`` when the process is not isolated or it cannot be
  ///   switched.
  public static func withoutNetwork<Result>(_ body: () throws -> Result) throws -> Result {
    try set(isUp: false)
    let result = Swift.Result { try body() }
    try set(isUp: true)
    return try result.get()
  }

  /// An address that is none of the loopback's to a program, as if it were another machine's.
  ///
  /// - Throws: ``StageError`` when the process is not isolated or has no such address.
  public static func foreignAddress() throws(StageError) -> String {
    try Isolation.require()
    let address = "10.9.8.7"
    let error = stage_add_address("lo:1", address)
    guard error == 0 else { throw .unusable("no address \(address): \(String(cString: strerror(error)))") }
    return address
  }

  /// Runs the body while this process's own network has a second address.
  ///
  /// - Throws: The errors of the body, and ``StageError`` when the process is not isolated, or the kernel
  ///   refuses.
  public static func with<Result>(address: String, _ body: () throws -> Result) throws -> Result {
    try Isolation.require()
    let error = stage_add_address("lo:2", address)
    guard error == 0 else {
      throw StageError.unusable("cannot add \(address): \(String(cString: strerror(error)))")
    }
    defer { _ = stage_remove_address("lo:2") }
    return try body()
  }

  private static func set(isUp: Bool) throws(StageError) {
    try Isolation.require()
    let error = stage_set_loopback(isUp ? 1 : 0)
    guard error == 0 else {
      throw .unusable("cannot take lo \(isUp ? "up" : "down"): \(String(cString: strerror(error)))")
    }
  }
}
