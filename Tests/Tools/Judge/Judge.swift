@preconcurrency import Foundation
import Stage
import Synchronization
import Typechecking
import Verdicts

/// Hears real programs play beside LinkHut, in all that happens to them, and writes down how near they are.
///
/// usage: judge [--keep] [GROUP...]
///
/// Without a group all are heard. Unless --keep is given right verdicts are written down, and the guide's
/// table of this system with them; on a system that has no table nothing is. Exit code 0 when all were heard
/// and near enough, 1 otherwise, 2 for an unknown group.
@main
enum Judge {
  private static let groups: [(name: String, run: @Sendable () throws -> Void)] = [
    ("jackd", { try followers(on: .jackd) }), ("hydrogen", hydrogen), ("ardour", ardour),
    ("midi", ardourByMIDIClock), ("tempo", ardourByWebSockets),
    ("pipewire", { try followers(on: .pipewire) }),
  ]

  private static let verdicts = Mutex<[Verdict]>([])
  private static let complaints = Mutex<[String]>([])

  /// Takes a verdict down.
  static func add(_ verdict: Verdict) {
    verdicts.withLock { $0.append(verdict) }
    print(
      "\(verdict.subject): \(verdict.sounds) sounds, median \(verdict.median) ms, worst \(verdict.worst) ms")
  }

  /// Records a fault.
  static func complain(_ text: String) {
    complaints.withLock { $0.append(text) }
    print("✘ \(text)")
  }

  static func main() {
    setvbuf(stdout, nil, _IOLBF, 0)
    var wanted = Array(CommandLine.arguments.dropFirst())
    let keeps = wanted.contains("--keep")
    wanted.removeAll { $0 == "--keep" }
    if let unknown = wanted.first(where: { name in !groups.contains { $0.name == name } }) {
      let names = groups.map(\.name).joined(separator: ", ")
      FileHandle.standardError.write(Data("judge: no group \"\(unknown)\"; there are \(names)\n".utf8))
      exit(2)
    }
    for group in groups where wanted.isEmpty || wanted.contains(group.name) {
      do { try group.run() } catch { complain("\(group.name): \(error)") }
    }
    exit(conclude(keeps: keeps) ? 0 : 1)
  }

  /// Writes down the right verdicts, and returns whether all were.
  private static func conclude(keeps: Bool) -> Bool {
    let wrong = complaints.withLock { $0 }
    let heard = verdicts.withLock { $0 }
    print("\(heard.count) verdicts, \(wrong.count) complaints")
    for text in wrong { print("✘ \(text)") }
    guard !keeps, let system = Verdict.System.current else { return wrong.isEmpty }
    do {
      let root = Typechecking.packageRoot
      var all = try Verdicts(contentsOf: root.appending(path: Verdicts.path))
      let known = Set(Program.all.map(\.name))
      for verdict in heard where known.contains(verdict.program) { all.add(verdict) }
      for name in Set(heard.map(\.program)).subtracting(known).sorted() {
        print("\(name): heard, and not written down, because the table has no such release")
      }
      try all.write(to: root.appending(path: Verdicts.path))
      let page = root.appending(path: ProgramTable.path)
      let text = try String(contentsOf: page, encoding: .utf8)
      try ProgramTable(all, on: system).replacing(in: text).write(to: page, atomically: true, encoding: .utf8)
      return wrong.isEmpty
    } catch {
      print("✘ the verdicts cannot be written down: \(error)")
      return false
    }
  }
}
