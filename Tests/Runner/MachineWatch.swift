import CMachine
import Foundation
import Glibc
import Machine
import Synchronization

/// How much of each core others took away while the tests ran: by how late a thread with real-time priority
/// on each core wakes up from short sleeps, by the wall clock, and by what the kernel says its host took.
///
/// It knows nothing of JACK, and runs before JACK's threads: what is late for it is nobody's fault here.
final class MachineWatch: Sendable {
  /// Later than this is a slice, in seconds.
  private static let slice = 0.002
  /// Above JACK's threads, which have 5 and 10, and below who plays a bad host, which has 90.
  private static let priority: Int32 = 80
  /// What a quiet machine may lose of a core.
  static let quiet = 0.002

  private struct Loss {
    var stolen = 0.0
    var hasPriority = true
  }
  private let losses: Mutex<[Int32: Loss]>
  private let start = MachineWatch.now()
  private let stolenBefore = StolenTime()

  /// Begins to watch each core that we may use.
  init() {
    var numbers = [Int32](repeating: 0, count: 1024)
    let count = machine_cores(&numbers, Int32(numbers.count))
    let cores = numbers.prefix(Int(count))
    losses = Mutex(Dictionary(uniqueKeysWithValues: cores.map { ($0, Loss()) }))
    for core in cores { Thread.detachNewThread { [self] in watch(core) } }
  }

  private func watch(_ core: Int32) {
    guard machine_take_core(core, Self.priority) == 0 else {
      return losses.withLock { $0[core]?.hasPriority = false }
    }
    var rest = timespec(tv_sec: 0, tv_nsec: 1_000_000)
    var last = Self.now()
    while true {
      clock_nanosleep(CLOCK_MONOTONIC, 0, &rest, nil)
      let time = Self.now()
      let late = time - last - 0.001
      if late > Self.slice { losses.withLock { $0[core]?.stolen += late } }
      last = time
    }
  }

  /// The share that others took of the core that lost most, by the slices or by what the kernel says,
  /// whichever is more; at least ``quiet`` where the slices could not be measured.
  var taken: Double {
    let time = max(Self.now() - start, 1)
    let slices = losses.withLock { losses in
      losses.values.map { $0.hasPriority ? $0.stolen / time : Self.quiet }.max() ?? Self.quiet
    }
    return max(slices, StolenTime().share(since: stolenBefore) ?? 0)
  }

  /// What was found, in one line.
  var account: String {
    let time = max(Self.now() - start, 1e-3)
    let losses = losses.withLock { $0.sorted { $0.key < $1.key }.map(\.value) }
    guard losses.allSatisfy(\.hasPriority) else {
      return "the machine: nobody knows how quiet, since the system permits no real-time priority"
    }
    let shares = losses.map { Self.percent($0.stolen / time) }.joined(separator: ", ")
    let host = StolenTime().share(since: stolenBefore).map(Self.percent) ?? "unknown"
    return
      "the machine: \(taken < Self.quiet ? "quiet" : "not quiet"), \(shares) of its cores stolen in slices over 2 ms "
      + "(by its host, as the kernel says: \(host))"
  }

  private static func percent(_ share: Double) -> String { String(format: "%.1f %%", share * 100) }

  private static func now() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
