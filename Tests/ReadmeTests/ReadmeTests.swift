import ArgumentParser
import Foundation
import Settings
import Testing
import Typechecking
import Verdicts

@Suite struct ReadmeTests {
  static let text = contents(of: "README.md")
  static let examples = Markdown(text).blocks(of: "swift")

  @Test("There is an example of each library")
  func libraries() {
    #expect(Self.examples.count >= 2)
    for library in ["JACK", "AbletonLink"] {
      #expect(Self.examples.contains { $0.contains("import \(library)\n") })
    }
  }

  @Test("Every example compiles, without a warning", arguments: examples)
  func compiles(example: String) throws {
    #expect(try Typechecking.diagnostics(of: example) == "")
  }

  @Test("An example with a mistake in it would be found", arguments: examples)
  func mistake(example: String) throws {
    let broken = example + "\nlet mistake: Tempo = \"120\"\n"
    #expect(try Typechecking.diagnostics(of: broken).contains("error: cannot convert value"))
  }

  @Test("Two commands set it up, and make knows both")
  func setUp() throws {
    let section = try #require(Markdown(Self.text).section("Set-up"))
    let commands = section.blocks(of: "sh").flatMap { $0.split(separator: "\n") }.map { line in
      line.prefix { $0 != "#" }.trimmingCharacters(in: .whitespaces)
    }
    #expect(commands == ["make run", "make test"])
    let makefile = Self.contents(of: "Makefile")
    for command in commands {
      #expect(makefile.contains("\n\(command.dropFirst("make ".count)):"))
    }
  }

  @Test("Every flag it mentions exists")
  func flags() {
    let known =
      Self.flags(in: Options.helpMessage()) + Self.flags(in: ControlOptions.helpMessage()) + [
        "--version", "--user", "--now", "--prefix", "--remove",
      ]
    let mentioned = Self.flags(in: Self.text)
    #expect(!mentioned.isEmpty)
    for flag in mentioned {
      #expect(known.contains(flag))
    }
  }

  private static func flags(in text: String) -> [String] {
    text.matches(of: /--[a-z][a-z-]*/).map { String($0.output) }
  }

  @Test("Every file it points at exists")
  func links() {
    let targets = Self.text.matches(of: /\]\(([^)#:]+)\)/).map { String($0.output.1) }
    #expect(!targets.isEmpty)
    for target in targets {
      let path = Typechecking.packageRoot.appending(path: target).path
      #expect(FileManager.default.fileExists(atPath: path), "\(target)")
    }
  }

  @Test("Its table of programs is what was heard last")
  func programs() throws {
    let verdicts = try Verdicts(contentsOf: Verdicts.root.appending(path: Verdicts.path))
    let section = try #require(Markdown(Self.text).section("Programs"))
    let lines = section.lines.filter { $0.hasPrefix("|") }.map(String.init)
    #expect(lines == ProgramTable(verdicts).lines, "`make test-apps` writes it")
  }

  @Test(
    "Each program has been heard, and as near to LinkHut as it has to be", arguments: Program.all.map(\.name))
  func verdicts(name: String) throws {
    let program = try #require(Program.all.first { $0.name == name })
    let verdicts = try Verdicts(contentsOf: Verdicts.root.appending(path: Verdicts.path)).all.filter {
      $0.program == name
    }
    #expect(
      verdicts.contains { $0.situation == .startFromJACK }
        && verdicts.contains { $0.situation == .startFromLink })
    for verdict in verdicts { #expect(program.fault(of: verdict) == nil, "\(verdict.subject)") }
  }

  @Test("A table that says something else is found, and written anew")
  func table() {
    let heard = Verdict(
      program: Program.klick.name, server: .jackd, leader: .link, situation: .loop, sounds: 8, median: -0.21,
      worst: 0.44, spread: 0.3)
    let table = ProgramTable(Verdicts([heard]))
    #expect(table.lines[2].contains("| 0.2, 0.4 |"))
    let old = ["a", table.lines[0], "|---|", "| old |", "", "b"].joined(separator: "\n")
    #expect(table.replacing(in: old) == (["a"] + table.lines + ["", "b"]).joined(separator: "\n"))
  }

  @Test("What is further from LinkHut than it may be is a fault, unless it is the program's own")
  func faults() {
    func verdict(_ program: Program, _ situation: Situation, median: Double, worst: Double) -> Verdict {
      Verdict(
        program: program.name, server: .jackd, leader: .link, situation: situation, sounds: 8, median: median,
        worst: worst, spread: worst)
    }
    #expect(Program.klick.fault(of: verdict(.klick, .loop, median: 0.5, worst: 1)) == nil)
    #expect(Program.klick.fault(of: verdict(.klick, .loop, median: 0.51, worst: 0.6)) != nil)
    #expect(Program.klick.fault(of: verdict(.klick, .loop, median: 0.1, worst: 1.1)) != nil)
    #expect(Program.ardour.fault(of: verdict(.ardour, .tempo, median: 40, worst: 90)) == nil)
    #expect(Program.ardour.fault(of: verdict(.ardour, .loop, median: 40, worst: 90)) != nil)
    #expect(
      Program.ardourByMIDIClock.fault(of: verdict(.ardourByMIDIClock, .tempo, median: 2, worst: 6)) != nil)
    #expect(Program.jackMIDIClock.fault(of: verdict(.jackMIDIClock, .locate, median: 9, worst: 1)) == nil)
    #expect(Program.jackMIDIClock.fault(of: verdict(.jackMIDIClock, .locate, median: 9, worst: 2)) != nil)
  }

  @Test("A block is found by its language, a section by its heading")
  func markdown() {
    let text = Markdown("## A\n```sh\n# x\n```\n```\n```\n## B\n```swift\na\n\nb\n```\n```sh\ny\n```")
    #expect(text.blocks(of: "sh") == ["# x", "y"])
    #expect(text.blocks(of: "swift") == ["a\n\nb"])
    #expect(text.section("A")?.blocks(of: "sh") == ["# x"])
    #expect(text.section("C") == nil)
  }

  private static func contents(of path: String) -> String {
    // Without the file, every test that reads it fails.
    (try? String(contentsOf: Typechecking.packageRoot.appending(path: path), encoding: .utf8)) ?? ""
  }
}
