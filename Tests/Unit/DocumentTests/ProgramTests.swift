import Foundation
import Testing
import Typechecking
import Verdicts

/// The guide's tables of programs, and what they are made of.
@Suite struct ProgramTests {
  @Test(arguments: Verdict.System.allCases)
  func `A system's table of programs has the last verdicts there`(system: Verdict.System) throws {
    let table = ProgramTable(
      try Verdicts(contentsOf: Typechecking.packageRoot.appending(path: Verdicts.path)), on: system)
    let section = try #require(Markdown(Document(path: ProgramTable.path).text).section(system.rawValue))
    let lines = section.lines.filter { $0.hasPrefix("|") }.map(String.init)
    #expect(lines == table.lines, "`make test-apps` writes it")
    #expect(system != .debian12 || !table.lines.isEmpty)
  }

  @Test(arguments: Program.all.map(\.name))
  func `Each program was heard, and as near to LinkHut as it has to be`(name: String) throws {
    let program = try #require(Program.all.first { $0.name == name })
    let path = Typechecking.packageRoot.appending(path: Verdicts.path)
    let verdicts = try Verdicts(contentsOf: path).all.filter { $0.program == name }
    #expect(
      verdicts.contains { $0.situation == .startFromJACK }
        && verdicts.contains { $0.situation == .startFromLink })
    for verdict in verdicts { #expect(program.fault(of: verdict) == nil, "\(verdict.subject)") }
  }

  @Test func `A table that differs from the verdicts is found, and written anew below its system's heading`()
  {
    let heard = Verdict(
      system: .debian13, program: Program.klick.name, server: .jackd, leader: .link, situation: .loop,
      sounds: 8,
      median: -0.21, worst: 0.44, spread: 0.3)
    let table = ProgramTable(Verdicts([heard]), on: .debian13)
    #expect(table.lines.count == 3 && table.lines[2].contains("| 0.2, 0.4 |"))
    let written = (["a", "## Debian 13", ""] + table.lines + ["", "b"]).joined(separator: "\n")
    for old in ["", "| x |\n|---|\n| old |\n\n"] {
      #expect(table.replacing(in: "a\n## Debian 13\n\n\(old)b") == written)
    }
    #expect(table.replacing(in: written) == written)
    let nothing = ProgramTable(Verdicts([heard]), on: .debian12)
    #expect(nothing.lines.isEmpty && nothing.replacing(in: "## Debian 12\n\nb") == "## Debian 12\n\nb")
    #expect(Verdict.System.current?.rawValue.hasPrefix("Debian") != false)
  }

  @Test func `A click further from LinkHut than it may be is a fault, unless it is the program's own`() {
    func verdict(_ program: Program, _ situation: Situation, median: Double, worst: Double) -> Verdict {
      Verdict(
        system: .debian12, program: program.name, server: .jackd, leader: .link, situation: situation,
        sounds: 8,
        median: median, worst: worst, spread: worst)
    }
    #expect(Program.klick.fault(of: verdict(.klick, .loop, median: 0.5, worst: 1)) == nil)
    #expect(Program.klick.fault(of: verdict(.klick, .loop, median: 0.51, worst: 0.6)) != nil)
    #expect(Program.klick.fault(of: verdict(.klick, .loop, median: 0.1, worst: 1.1)) != nil)
    let (ardour, follower) = (Program.ardour("7.3"), Program.ardourByMIDIClock("7.3"))
    #expect(ardour.fault(of: verdict(ardour, .tempo, median: 40, worst: 90)) == nil)
    #expect(ardour.fault(of: verdict(ardour, .loop, median: 40, worst: 90)) != nil)
    #expect(follower.fault(of: verdict(follower, .tempo, median: 2, worst: 6)) != nil)
    #expect(ardour.mayBeAnywhere(.stall, .link, on: .jackd))
    #expect(!ardour.mayBeAnywhere(.stall, .jack, on: .jackd))
    #expect(!follower.mayBeAnywhere(.tempo, .link, on: .jackd))
    #expect(Program.jackMIDIClock.fault(of: verdict(.jackMIDIClock, .locate, median: 9, worst: 1)) == nil)
    #expect(Program.jackMIDIClock.fault(of: verdict(.jackMIDIClock, .locate, median: 9, worst: 2)) != nil)
  }
}
