import Foundation
import Glibc

/// The system's resources of a process, as the kernel counts them.
public struct Footprint: Sendable, Equatable {
  /// Its threads.
  public var threads: Int
  /// Its open file descriptors.
  public var descriptors: Int
  /// The memory in use that is its own and no file's, in kilobytes.
  public var kilobytes: Int

  /// The growth since another.
  public static func - (now: Footprint, before: Footprint) -> Footprint {
    Footprint(
      threads: now.threads - before.threads, descriptors: now.descriptors - before.descriptors,
      kilobytes: now.kilobytes - before.kilobytes)
  }
}

extension Child {
  /// Its resources now.
  ///
  /// - Throws: ``StageError`` when it has ended.
  public func footprint() throws(StageError) -> Footprint {
    guard let status = try? String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8),
      let descriptors = try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/fd"),
      let threads = Child.number("Threads", in: status), let memory = Child.number("RssAnon", in: status)
    else { throw .unusable("\(program) has ended, or the kernel does not tell what it holds") }
    return Footprint(threads: threads, descriptors: descriptors.count, kilobytes: memory)
  }

  /// Its growth since before.
  ///
  /// Pools of threads keep one that has nothing to do for five seconds: it waits so long for threads and
  /// descriptors to be no more than before.
  public func growth(since before: Footprint) throws(StageError) -> Footprint {
    let deadline = Deadline.after(.seconds(6))
    while true {
      let growth = try footprint() - before
      if growth.threads <= 0 && growth.descriptors <= 0 || deadline.hasPassed { return growth }
      usleep(100_000)
    }
  }

  /// The memory it has resident in all, shared or not, in kilobytes.
  ///
  /// - Throws: ``StageError`` when it has ended.
  public func residentMemory() throws(StageError) -> Int {
    guard let status = try? String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8),
      let memory = Child.number("VmRSS", in: status)
    else { throw .unusable("\(program) has ended, or the kernel does not tell what it holds") }
    return memory
  }

  private static func number(_ key: String, in status: String) -> Int? {
    let line = status.split(separator: "\n").first { $0.hasPrefix("\(key):") }
    return line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) }
  }
}
