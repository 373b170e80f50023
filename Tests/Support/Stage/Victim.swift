import CMachine
import CStage
import Foundation
import Glibc

/// A thread that finds out how much of a core other threads, processes or the host take away, by the wall
/// clock.
public enum Victim {
  /// The cores this process may use.
  public static let cores: [Int] = {
    var cores = [Int32](repeating: 0, count: 1024)
    let count = machine_cores(&cores, Int32(cores.count))
    return cores.prefix(Int(count)).map { Int($0) }
  }()

  /// Which part of each core was taken away from a thread of a real-time priority, in slices of more than a
  /// millisecond.
  ///
  /// - Parameters:
  ///   - duration: For how long to look.
  ///   - isAwake: Whether the thread is awake for four fifths of it, and keeps those of lower priority from
  ///     running. One that mostly sleeps notices less.
  ///   - priority: The thread's.
  /// - Returns: For each core the part, by its number.
  /// - Throws: ``StageError`` when the system does not permit it.
  public static func timeLost(
    during duration: Duration, isAwake: Bool = true, priority: Int32 = 50
  ) throws(StageError) -> [Int: Double] {
    let milliseconds = Int64(duration / .milliseconds(1))
    let found = Monitor<[Int: Int64]>([:])
    for core in cores {
      Thread.detachNewThread {
        let lost = stage_time_lost(Int32(core), priority, milliseconds, isAwake ? 4 : 0)
        found.change { $0[core] = lost }
      }
    }
    let all = found.wait { $0.count == cores.count ? $0 : nil } ?? [:]
    if let error = all.values.first(where: { $0 < 0 }) {
      throw .unusable("no real-time priority: \(String(cString: strerror(Int32(-error))))")
    }
    return all.mapValues { Double($0) / Double(milliseconds * 1000) }
  }
}
