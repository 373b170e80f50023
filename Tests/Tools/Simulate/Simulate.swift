import ArgumentParser
import Dispatch
import Foundation
import MusicalTime
import Simulation
import Synchronization

/// Runs simulated hours and checks the laws in every cycle.
@main
struct Simulate: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Run the bridge in a simulated world, and check in every cycle that the laws hold.",
    discussion: """
      A seed is a history: what one run finds, another finds again with the same seed. A violation is printed with the \
      shortest history in which it was found, as a text: a file of it is run by its name, and kept in \
      Tests/Unit/SimulationTests/Histories.
      """)

  @Argument(help: "Files of kept histories to run, instead of those of seeds.")
  var files: [String] = []
  @Flag(help: "Compare the files' histories with their transcripts, instead of asking the laws.")
  var transcripts = false
  @Flag(help: "Write the transcripts of the files' histories into the files.")
  var record = false
  @Option(help: "The first seed. Each further history has the next one.")
  var seed: UInt64 = 1
  @Option(help: "How many hours to simulate in all.")
  var hours = 1.0
  @Option(help: "How many minutes a history lasts.")
  var minutes = 10.0
  @Option(help: "How many histories to run at a time.")
  var jobs = ProcessInfo.processInfo.activeProcessorCount
  @Option(help: "How many violations to collect before the end.")
  var violations = 1
  @Option(help: "How many milliseconds before a violation to print, cycle by cycle.")
  var trace = 0.0
  @Flag(help: "Print a violation without the shortest history of it, which may take minutes to find.")
  var unshrunken = false
  @Flag(help: "Have deadlines missed from the beginning to the end of every history, not just of some.")
  var busy = false
  @Flag(help: "Make every deliberate mistake in turn, and tell how long it takes the laws to notice.")
  var faults = false
  @Option(
    help: "Make only the deliberate mistake of this name, as `Fault` lists them.",
    transform: { name in
      guard let fault = Fault.allCases.first(where: { "\($0)" == name }) else {
        throw ValidationError("there is no deliberate mistake \(name); Fault.swift lists them")
      }
      return fault
    })
  var fault: Fault?

  func validate() throws {
    guard hours > 0, minutes > 0, minutes <= 2880, violations > 0, jobs > 0, jobs <= 256, trace >= 0 else {
      throw ValidationError(
        "hours, minutes, jobs and violations have to be greater than 0, minutes at most 2880, jobs at most 256, and "
          + "trace not negative")
    }
  }

  func run() throws {
    if !files.isEmpty {
      try runFiles()
    } else if let fault {
      try runFaults([fault])
    } else if faults {
      try runFaults(Fault.allCases)
    } else {
      try runHistories()
    }
  }

  private func history(_ seed: UInt64) -> History {
    History(seed: seed, duration: .seconds(minutes * 60), isBusy: busy)
  }

  // MARK: Kept histories

  private func runFiles() throws {
    var unexpected = 0
    for file in files where unexpected < violations {
      let text = try String(contentsOfFile: file, encoding: .utf8)
      let kept: KeptHistory
      do {
        kept = try KeptHistory(text: text, file: file)
      } catch let error as HistoryError {
        throw ValidationError("\(error)")
      }
      if transcripts || record {
        let transcript = Transcript(of: kept.history)
        if let difference = transcript.difference(from: kept.transcript) {
          print("\(file): \(difference)")
          if !record { unexpected += 1 }
        }
        if record {
          try transcript.written(into: text).write(toFile: file, atomically: true, encoding: .utf8)
        }
        continue
      }
      // With a deliberate mistake that a law has to detect, and before that without.
      let plain = kept.fault == nil || fault != nil ? nil : Simulation(kept.history).run()
      if let plain { print("\(file): \(plain)") }
      let violation = run(kept.history, fault ?? kept.fault)
      print("\(file): \(violation.map { "\($0)" } ?? "all laws hold")")
      guard plain != nil || (fault == nil ? violation?.law != kept.law : violation == nil) else { continue }
      unexpected += 1
      if let law = kept.law { print("\(file): the law \(law) was to be broken") }
    }
    if unexpected > 0 { throw ExitCode.failure }
  }

  /// Runs a history, and prints its last milliseconds.
  private func run(_ history: History, _ fault: Fault?) -> Violation? {
    let violation = Simulation(history, fault: fault).run()
    guard trace > 0 else { return violation }
    let simulation = Simulation(history, fault: fault)
    let begin = (violation?.time ?? history.duration) - .milliseconds(trace)
    simulation.trace = { if $0.time > begin { print("  \($0)") } }
    return simulation.run()
  }

  // MARK: Histories of seeds

  /// The sums over all histories.
  private struct Tally {
    var next: UInt64
    var simulated = 0.0
    var cycles = 0
    var accounts = Accounts()
    var violations: [(seed: UInt64, violation: Violation)] = []
  }

  private func runHistories() throws {
    let began = ContinuousClock.now
    // Memory that is allocated once is no growth.
    _ = Simulation(History(seed: seed, duration: .seconds(60))).run()
    let memory = residentMemory()
    let tally = Mutex(Tally(next: seed))
    DispatchQueue.concurrentPerform(iterations: jobs) { _ in
      while let next = claim(tally) {
        let simulation = Simulation(history(next))
        let violation = simulation.run()
        tally.withLock {
          $0.cycles += simulation.cycles
          $0.accounts.add(simulation)
          if let violation { $0.violations.append((next, violation)) }
        }
      }
    }
    let result = tally.withLock { $0 }
    for (seed, violation) in result.violations.sorted(by: { $0.seed < $1.seed }) { tell(seed, violation) }
    let wrong = tell(result.accounts)
    let growth = (residentMemory() - memory) / 1024
    let count = result.violations.count
    print(
      """
      simulated \(Int(result.simulated / 3600)) h in \(result.next - seed) histories from seed \(seed), \
      \(result.cycles) cycles, \(ContinuousClock.now - began), memory grew by \(growth) kB: \
      \(count == 0 ? "all laws hold" : "\(count) violations")
      """)
    if count > 0 || wrong > 0 { throw ExitCode.failure }
  }

  /// Prints how often each law was applied and why it was not, also by situations, and returns how many were
  /// excused for more than they may be, or applied too rarely.
  private func tell(_ accounts: Accounts) -> Int {
    print(
      """
      law: how often it was applied, the share that it was excused for and what that may be, and why; how often it \
      was not asked, and why; by situations how often it was applied, and the share that it was excused for:
      """)
    var wrong = 0
    for law in Law.allCases {
      let account = accounts.all[law]
      let (isTooMuch, isTooRare) = (accounts.isExcusedTooMuch(law), accounts.isAppliedTooRarely(law))
      if isTooMuch || isTooRare { wrong += 1 }
      let name = "\(law)".padding(toLength: 20, withPad: " ", startingAt: 0)
      let share =
        account.due == 0 ? "-" : "\(percent(account.excusedShare)) of \(percent(law.mostExcused))"
      let verdict = (isTooMuch ? " TOO MUCH" : "") + (isTooRare ? " TOO RARELY" : "")
      print("  \(name) \(account.applied), \(share)\(verdict): \(shares(account.excused, of: account.due))")
      if !account.unasked.isEmpty {
        let count = account.unasked.values.reduce(0, +)
        print("    not asked \(count): \(shares(account.unasked, of: count))")
      }
      let parts = Accounts.Situation.allCases.compactMap { situation in
        let part = accounts[law, in: situation]
        return part.due == 0
          ? nil : "\(situation.rawValue) \(part.applied), \(percent(part.excusedShare))"
      }
      if !parts.isEmpty { print("    \(parts.joined(separator: "; "))") }
    }
    return wrong
  }

  private func shares<Reason>(_ counts: [Reason: Int], of total: Int) -> String {
    counts.sorted { $0.value > $1.value }.map { "\($0.key) \(percent(Double($0.value) / Double(total)))" }
      .joined(separator: ", ")
  }

  private func percent(_ share: Double) -> String { String(format: "%.1f %%", share * 100) }

  /// The next seed, as long as there is more to be done.
  private func claim(_ tally: borrowing Mutex<Tally>) -> UInt64? {
    tally.withLock {
      guard $0.simulated < hours * 3600, $0.violations.count < violations else { return nil }
      $0.simulated += minutes * 60
      $0.next += 1
      return $0.next - 1
    }
  }

  /// Prints a violation, and the shortest history of it that could be found.
  private func tell(_ seed: UInt64, _ violation: Violation) {
    print("seed \(seed): \(violation)")
    guard !unshrunken else { return }
    let shortest = history(seed).shrunken(violation.law)
    print(shortest.text)
    if let violation = run(shortest, nil) { print(violation) }
  }

  /// The memory that the system has given this program, in bytes.
  private func residentMemory() -> Int {
    let statistics = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
    let pages = statistics.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    return pages * Int(getpagesize())
  }

  // MARK: Deliberate mistakes

  private func runFaults(_ faults: [Fault]) throws {
    var unnoticed = 0
    for fault in faults {
      if let (seed, violation) = firstViolation(with: fault) {
        print("\(fault.rawValue): seed \(seed), \(violation)")
      } else {
        unnoticed += 1
        print("\(fault.rawValue): not noticed in \(hours) h")
      }
    }
    print("\(faults.count) deliberate mistakes, \(unnoticed) not noticed")
    if unnoticed > 0 { throw ExitCode.failure }
  }

  private func firstViolation(with fault: Fault) -> (seed: UInt64, violation: Violation)? {
    for next in seed..<seed + UInt64((hours * 60 / minutes).rounded(.up)) {
      if let violation = Simulation(history(next), fault: fault).run() { return (next, violation) }
    }
    return nil
  }
}
