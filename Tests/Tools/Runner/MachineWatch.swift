import CMachine
import Foundation
import Glibc
import Machine
import Synchronization

/// How much of each core others took away while the tests ran: by how late a thread with real-time priority
/// on each core wakes up from short sleeps, by the wall clock, and by the kernel's count of the host's share.
///
/// It knows nothing of JACK, and runs before JACK's threads: no program here can be the cause of its delays.
final class MachineWatch: Sendable {
  /// Later than this is a slice, in seconds.
  private static let slice = 0.002
  /// Above JACK's threads, which have 5 and 10, and below the thief's, which has 90.
  private static let priority: Int32 = 80
  /// The share of a core that a quiet machine may lose.
  static let quiet = 0.002

  private struct Loss {
    /// When each slice ended, and how long it was.
    var slices: [(end: Double, length: Double)] = []
    var hasPriority = true
    var stolen: Double { slices.reduce(0) { $0 + $1.length } }

    /// The slices that are in a stretch of time, at least in part.
    func slices(from begin: Double, to end: Double) -> [(end: Double, length: Double)] {
      slices.filter { $0.end > begin && $0.end - $0.length < end }
    }
  }
  private let losses: Mutex<[Int32: Loss]>
  /// The kernel's counts, once a second.
  private let told = Mutex<[(time: Double, stolen: StolenTime)]>([])
  private let start = MachineWatch.now()
  private let stolenBefore = StolenTime()
  /// A share that a test of the runner pretends to have been taken.
  private let pretended = ProcessInfo.processInfo.environment["JACKSTAY_TAKEN"].flatMap(Double.init)

  /// Begins to watch each core that this process may use.
  init() {
    var numbers = [Int32](repeating: 0, count: 1024)
    let count = machine_cores(&numbers, Int32(numbers.count))
    let cores = numbers.prefix(Int(count))
    losses = Mutex(Dictionary(uniqueKeysWithValues: cores.map { ($0, Loss()) }))
    for core in cores { Thread.detachNewThread { [self] in watch(core) } }
    Thread.detachNewThread { [self] in
      while true {
        told.withLock { $0.append((Self.now(), StolenTime())) }
        sleep(1)
      }
    }
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
      if late > Self.slice { losses.withLock { $0[core]?.slices.append((time, late)) } }
      last = time
    }
  }

  /// The share that others took so far of the core that lost most.
  var taken: Double { taken(from: start, to: Self.now()) }

  /// The share that others took in a stretch of time of the core that lost most, by the slices or by the
  /// kernel's count, whichever is more; at least ``quiet`` where the slices could not be measured.
  ///
  /// - Parameters:
  ///   - begin: When it began, by CLOCK_MONOTONIC in seconds.
  ///   - end: When it ended.
  /// - Returns: The share, of 1.
  func taken(from begin: Double, to end: Double) -> Double {
    if let pretended { return pretended }
    let time = max(end - begin, 1)
    let slices = losses.withLock { losses in
      losses.values.map { loss in
        guard loss.hasPriority else { return Self.quiet }
        return loss.slices(from: begin, to: end).reduce(0) { $0 + $1.length } / time
      }.max() ?? Self.quiet
    }
    let host = told.withLock { told in
      let before = told.last { $0.time <= begin }?.stolen ?? stolenBefore
      let after = told.first { $0.time >= end }?.stolen ?? StolenTime()
      return after.share(since: before)
    }
    return max(slices, host ?? 0)
  }

  /// Whether others may be why so many deadlines were missed in a stretch of time, because they took a core for as long;
  /// true where the slices could not be measured.
  func explains(missed: Int, from begin: Double, to end: Double) -> Bool {
    if let pretended { return pretended >= Self.quiet }
    return losses.withLock { losses in
      guard losses.values.allSatisfy(\.hasPriority) else { return true }
      let slices = losses.values.flatMap { $0.slices(from: begin, to: end) }
      let most = slices.reduce(0) { $0 + 1 + Int($1.length / Self.shortestPeriod) }
      return !slices.isEmpty && missed <= most
    }
  }

  /// The shortest period that is usual, in seconds: 64 frames.
  private static let shortestPeriod = 64 / 48_000.0

  /// The result, in one line.
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

  static func percent(_ share: Double) -> String { String(format: "%.1f %%", share * 100) }

  /// CLOCK_MONOTONIC, in seconds.
  static func now() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
