import Foundation

/// The guide's table of programs on one system, which follows from the verdicts.
public struct ProgramTable {
  /// The place of the guide's page below the repository's root.
  public static let path = "Sources/jackstay/jackstay.docc/Programs.md"

  private let system: Verdict.System
  private let verdicts: Verdicts

  /// The table of those of some verdicts that are of one system.
  public init(_ verdicts: Verdicts, on system: Verdict.System) {
    self.system = system
    self.verdicts = Verdicts(verdicts.all.filter { $0.system == system })
  }

  /// Its lines, in Markdown, a row for each program that was heard there; none where no program was.
  public var lines: [String] {
    let heard = Program.all.filter { program in verdicts.all.contains { $0.program == program.name } }
    guard !heard.isEmpty else { return [] }
    let head = ["program", "reads bar/beat/tick", "start/stop", "Link leads", "JACK leads", "notes"]
    return [row(head), row(head.map { _ in "---" }, by: "|")]
      + heard.map { program in
        row(
          [program.name, program.reads, program.transport]
            + Verdict.Leader.allCases.map { distance(of: program, $0) } + [notes(on: program)])
      }
  }

  /// The heading that the table stands below.
  public var heading: String { "## \(system.rawValue)" }

  /// The page with this table in the place of the one below its heading: before the text there, where there is none.
  public func replacing(in text: String) -> String {
    let all = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    guard !lines.isEmpty, let place = all.firstIndex(of: heading) else { return text }
    var rest = all[(place + 1)...].drop { $0.isEmpty }
    rest = rest.drop { $0.hasPrefix("|") }.drop { $0.isEmpty }
    return (all[...place] + [""] + lines + [""] + rest).joined(separator: "\n")
  }

  private func row(_ cells: [String], by separator: String = " | ") -> String {
    separator == "|"
      ? "|" + cells.joined(separator: "|") + "|" : "| " + cells.joined(separator: " | ") + " |"
  }

  /// The largest median and the worst click among sounds without a fault of the program's; of all where each
  /// has one.
  private func distance(of program: Program, _ leader: Verdict.Leader) -> String {
    let cells = Verdict.Server.allCases.compactMap { server -> String? in
      let heard = verdicts.all.filter {
        $0.program == program.name && $0.leader == leader && $0.server == server
      }
      let counted = heard.filter { !program.isExempt($0) }
      guard
        let distance = program.isSteadyOnly
          ? steadiness(of: heard) : distance(in: counted.isEmpty ? heard : counted)
      else { return nil }
      return server == .jackd ? distance : "\(server.rawValue): \(distance)"
    }
    return cells.isEmpty ? "not heard" : cells.joined(separator: "; ")
  }

  private func distance(in verdicts: [Verdict]) -> String? {
    guard let median = verdicts.map({ abs($0.median) }).max(), let worst = verdicts.map(\.worst).max() else {
      return nil
    }
    return "\(milliseconds(median)), \(milliseconds(worst))"
  }

  private func steadiness(of verdicts: [Verdict]) -> String? {
    verdicts.map(\.spread).max().map { "steady to \(milliseconds($0))" }
  }

  private func notes(on program: Program) -> String {
    let faults = program.exemptions.map { exemption -> String in
      let heard = verdicts.all.filter {
        $0.program == program.name && exemption.covers($0)
      }
      guard case .worst = exemption.bound, let worst = heard.map(\.worst).max() else {
        return exemption.reason
      }
      return "\(exemption.reason) (up to \(milliseconds(worst)) ms)"
    }
    return ([program.notes].filter { !$0.isEmpty } + faults).joined(separator: "; ")
  }

  /// To a tenth.
  private func milliseconds(_ value: Double) -> String { String(format: "%.1f", value) }
}
