import ArgumentParser
import Foundation
import Settings
import Testing
import Typechecking

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
      Self.flags(in: Options.helpMessage()) + Self.flags(in: ControlOptions.helpMessage()) + ["--version"]
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
