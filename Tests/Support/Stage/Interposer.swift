import Foundation
import Glibc

/// C sources compiled when they are needed, once per content, into the build's folder.
public enum Interposer {
  /// The library that makes a dummy `jackd` run fast or slow, by `DRIFT_PPM`.
  public static func drift() throws(StageError) -> String { try library("drift.cpp") }

  /// The library that steps a program's wall clock, and no other, by hours.
  public static func wallClock() throws(StageError) -> String { try library("wallclock.c") }

  /// The library that has a program's machine have slept for an hour, `SUSPEND_AFTER` seconds after its
  /// start.
  public static func suspend() throws(StageError) -> String { try library("suspend.c") }

  /// The library that has a program's system have no thread left, while there is a file of the name `NO_THREADS`.
  public static func threads() throws(StageError) -> String { try library("threads.c") }

  /// The library that keeps others from a program that opens them as it runs, those whose names are in `WITHOUT`.
  public static func without() throws(StageError) -> String { try library("without.c") }

  /// The library that has a JACK client take its time to forget other clients.
  public static func clients() throws(StageError) -> String { try library("clients.c") }

  /// The library that leaves a JACK client out of its server's cycles from the 200th on.
  public static func leftOut() throws(StageError) -> String { try library("leftout.c") }

  /// The library that has a thread of a client of jackd2 begin late, by `LATE_MS`.
  public static func late() throws(StageError) -> String { try library("late.c") }

  /// The library that watches a JACK client's callbacks; see ``RealtimeWitness``.
  public static func realtime() throws(StageError) -> String { try library("realtime.c") }

  /// The library that times a JACK client's callbacks; see ``Stopwatch``.
  public static func stopwatch() throws(StageError) -> String { try library("stopwatch.c") }

  /// The library that counts the calls of a JACK client's callbacks; see ``CallbackCalls``.
  public static func calls() throws(StageError) -> String { try library("calls.c") }

  /// The library that is RealtimeSanitizer; see ``RealtimeSanitizer``.
  public static func sanitizer() throws(StageError) -> String {
    let runtime = try Toolchain.runtime("rtsan")
    return try library("sanitizer.c", libraries: [runtime, "-lpthread", "-ldl", "-lm", "-lrt"])
  }

  /// Compiles a file of `Tests/Support/Interposers` to a shared library and returns its path.
  public static func library(_ source: String, libraries: [String] = []) throws(StageError) -> String {
    try compile(source, suffix: ".so", flags: ["-shared", "-fPIC", "-O2"], libraries: libraries)
  }

  /// Compiles a file of `Tests/Support/Interposers` to a program that uses libjack and returns its path.
  public static func program(_ source: String) throws(StageError) -> String {
    // Its own functions are to be found by name in the witness.
    try compile(source, suffix: "", flags: ["-O2", "-rdynamic"], libraries: ["-ljack", "-lpthread"])
  }

  private static let tests = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent()

  private static func compile(
    _ source: String, suffix: String, flags: [String], libraries: [String] = []
  ) throws(StageError) -> String {
    let file = tests.appendingPathComponent("Interposers/\(source)")
    let headers = tests.appendingPathComponent("CStage/include")
    let compiler = try compiler(plusPlus: source.hasSuffix(".cpp"))
    let options = flags + ["-I", headers.path]
    var content: Data
    do {
      content = try Data(contentsOf: file)
      for header in [
        headers.appendingPathComponent("CallbackTimes.h"),
        headers.appendingPathComponent("RealtimeWitness.h"),
        tests.appendingPathComponent("Interposers/callbacks.h"),
      ] {
        content.append(try Data(contentsOf: header))
      }
    } catch {
      throw .unusable("cannot read \(file.path): \(error)")
    }
    content.append(contentsOf: ([compiler] + options + libraries).joined(separator: " ").utf8)

    let cache = "\(Products.directory)/interposers"
    let name = file.deletingPathExtension().lastPathComponent
    let result = "\(cache)/\(name)-\(String(fingerprint(content), radix: 16))\(suffix)"
    if access(result, R_OK) == 0 { return result }
    do {
      try FileManager.default.createDirectory(atPath: cache, withIntermediateDirectories: true)
    } catch {
      throw .unusable("cannot write to \(Products.directory): \(error)")
    }
    // Others may compile the same at the same time: the result appears whole or not at all.
    let draft = "\(result).\(getpid())-\(UInt32.random(in: .min ... .max))"
    defer { unlink(draft) }
    let child = try Child(compiler, options + ["-o", draft, file.path] + libraries)
    guard try child.wait(timeout: .seconds(120)).isSuccess, rename(draft, result) == 0 else {
      throw .unusable("cannot compile \(source):\n\(child.text(of: .errors))")
    }
    return result
  }

  /// The compiler of the Swift toolchain where it can be found, the system's otherwise.
  private static func compiler(plusPlus: Bool) throws(StageError) -> String {
    let candidates = plusPlus ? ["clang++", "c++"] : ["clang", "cc"]
    for candidate in candidates {
      if let path = Toolchain.locate(candidate) { return path }
    }
    throw .unusable("no C compiler in PATH")
  }

  /// FNV-1a: it has to distinguish versions of a file, nothing more.
  private static func fingerprint(_ data: Data) -> UInt64 {
    data.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
  }
}
