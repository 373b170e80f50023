import Fuzzing
import Glibc

/// The counts of all inputs, in the one thread there is, reported after the last.
enum Tally {
  private struct Counts {
    var target: FuzzTarget
    var seed: UInt64
    /// How many there are going to be.
    var total: Int
    var inputs = 0
    var accepted = 0
    var slowest = Duration.zero
    let start = ContinuousClock.now
  }

  nonisolated(unsafe) private static var counts: Counts?

  /// How long one input may take, on a busy machine and with every memory access checked.
  private static let patience = Duration.seconds(5)

  /// The target of the inputs from now on.
  static func begin(_ target: FuzzTarget, inputs: Int, seed: UInt64) {
    counts = Counts(target: target, seed: seed, total: inputs)
  }

  /// The target.
  static var target: FuzzTarget? { counts?.target }

  /// Tries one input; a broken law ends the process, so that the fuzzer that made the input can keep it.
  static func take(_ bytes: [UInt8]) {
    guard let target = counts?.target else { return }
    let start = ContinuousClock.now
    do throws(BrokenLaw) {
      if case .accepted = try target.check(bytes) { counts?.accepted += 1 }
    } catch {
      fail(error.description, bytes)
    }
    let time = ContinuousClock.now - start
    if time > patience { fail("it took \(time)", bytes) }
    counts?.inputs += 1
    if let slowest = counts?.slowest, time > slowest { counts?.slowest = time }
    // Not at the end of the process: libFuzzer ends it without a word to others.
    if let counts, counts.inputs == counts.total { report(counts) }
  }

  private static func fail(_ reason: String, _ bytes: [UInt8]) -> Never {
    print("\(counts?.target.name ?? ""): \(reason)\ninput: \(bytes)")
    fflush(nil)
    abort()
  }

  private static func report(_ counts: Counts) {
    let share = counts.accepted * 100 / counts.inputs
    let seconds = (ContinuousClock.now - counts.start).components.seconds
    let slowest = counts.slowest.components.attoseconds / 1_000_000_000_000_000
    print(
      """
      \(counts.target.name): \(counts.inputs) inputs, \(share) % accepted, seed \(counts.seed), \(seconds) s, \
      slowest \(slowest) ms
      """)
    fflush(nil)
  }
}
