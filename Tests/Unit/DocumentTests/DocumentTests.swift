import ArgumentParser
import Foundation
import Settings
import Testing
import Typechecking

/// The documents, against the program and each other.
@Suite struct DocumentTests {
  @Test func `The README is at most 110 lines and 9 KB`() {
    #expect((50...110).contains(lines(of: .readme)))
    #expect(Document.readme.text.utf8.count <= 9 * 1024)
  }

  @Test func `CONTRIBUTING is at most 120 lines, and the laws it names are those of their page`() {
    #expect((50...120).contains(lines(of: .contributing)))
    let numbers = [
      Document.contributing, Document(path: "Sources/Reconciliation/Reconciliation.docc/Laws.md"),
    ]
    .map { Markdown($0.text).lines.compactMap { $0.firstMatch(of: #/^([0-9]+)\. /#)?.output.1 } }
    #expect(numbers[0].count == 8 && numbers[0] == numbers[1])
  }

  @Test(arguments: Document.guide)
  func `A page of the guide is at most 150 lines, and has its subject as its title`(page: Document) {
    #expect(lines(of: page) <= 150)
    #expect(page.text.hasPrefix("# "))
  }

  @Test func `The README and the guide's first page link to each page of the guide`() throws {
    #expect(Document.guide.count >= 20)
    let index = try #require(Document.guide.first { $0.path.hasSuffix("/jackstay.md") })
    for page in Document.guide where page.path != index.path {
      #expect(Markdown(Document.readme.text).links.contains(page.path), "\(page.path)")
      #expect(Markdown(index.text).links.contains(page.url.lastPathComponent), "\(page.path)")
    }
  }

  @Test func `Two commands build and test it, and make knows both`() throws {
    for document in [Document.readme] + Document.guide.filter({ $0.path.hasSuffix("/Installing.md") }) {
      let section = try #require(Markdown(document.text).section("From source"))
      let commands = section.blocks(of: "sh").flatMap { $0.split(separator: "\n") }.map { line in
        line.prefix { $0 != "#" }.trimmingCharacters(in: .whitespaces)
      }
      #expect(commands == ["make run", "make test"])
    }
    let makefile = Document(path: "Makefile").text
    let mentioned = Document.forUsers.flatMap { document in
      document.text.matches(of: /`make ([a-z0-9-]+)/).map { String($0.output.1) }
    }
    #expect(mentioned.count > 10)
    for task in mentioned + ["run", "test"] {
      #expect(makefile.contains("\n\(task):") || makefile.contains(" \(task):"), "make \(task)")
    }
  }

  @Test(arguments: Document.forUsers)
  func `Every flag that a document for users mentions exists`(document: Document) {
    let known =
      flags(in: Options.helpMessage()) + flags(in: ControlOptions.helpMessage()) + [
        "--version", "--help", "--help-all", "--within", "--user", "--now", "--prefix", "--remove",
        "--input", "--output", "--beats", "--yes",
      ]
    for flag in flags(in: document.text) { #expect(known.contains(flag), "\(flag)") }
  }

  @Test func `The guide explains every flag and every command`() {
    let text = Document.guide.map(\.text).joined(separator: "\n")
    for setting in Setting.all { #expect(text.contains(setting.key), "\(setting.key)") }
    let commands = Document.guide.first { $0.path.hasSuffix("/Commands.md") }?.text ?? ""
    for word in Instruction.vocabulary { #expect(commands.contains("`\(word.word)"), "\(word.word)") }
  }

  @Test(arguments: Document.all)
  func `Every link leads to a file, and to a heading of it`(document: Document) throws {
    for link in Markdown(document.text).links where !link.contains(":") {
      let parts = link.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
      let target =
        parts[0].isEmpty
        ? document.url : document.url.deletingLastPathComponent().appending(path: parts[0]).standardized
      #expect(FileManager.default.fileExists(atPath: target.path), "\(link)")
      guard parts.count == 2 else { continue }
      let text = try String(contentsOf: target, encoding: .utf8)
      #expect(Markdown(text).anchors.contains(String(parts[1])), "\(link)")
    }
  }

  @Test func `A block is found by its language, a section by its heading`() {
    let text = Markdown("## A\n```sh\n# x\n```\n```\n```\n## B\n```swift\na\n\nb\n```\n```sh\ny\n```")
    #expect(text.blocks(of: "sh") == ["# x", "y"])
    #expect(text.blocks(of: "swift") == ["a\n\nb"])
    #expect(text.section("A")?.blocks(of: "sh") == ["# x"])
    #expect(text.section("C") == nil)
  }

  @Test func `Links are found outside of code, and headings as GitHub names them`() {
    let text = Markdown(
      "# A, and `b-c`\n[x](y.md#z) ![p](q.svg)\n```sh\n# no\n[x](no)\n```\n[x](http://y)<img src=\"r\">")
    #expect(text.links == ["y.md#z", "q.svg", "http://y", "r"])
    #expect(text.anchors == ["a-and-b-c"])
  }

  @Test func `Words that the glossary replaces are found in sentences, and not in code or headings`() throws {
    func findings(in text: String, of type: String = "md") throws -> [String] {
      let file = FileManager.default.temporaryDirectory.appending(path: "words-\(UUID()).\(type)")
      defer { try? FileManager.default.removeItem(at: file) }
      try text.write(to: file, atomically: true, encoding: .utf8)
      let checker = Process()
      checker.executableURL = Typechecking.packageRoot.appending(path: "Scripts/check-words")
      checker.arguments = [file.path]
      let output = Pipe()
      checker.standardOutput = output
      try checker.run()
      let lines = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        .split(separator: "\n").map { String($0.trimmingPrefix(file.path)) }
      checker.waitUntilExit()
      #expect(checker.terminationStatus == (lines.isEmpty ? 0 : 1))
      return lines
    }
    #expect(try findings(in: "# What it is\n\nWhat is it? See `What is told`.\n\n    Who\n") == [])
    let text = "A start waits. What\nwaits is held.\n\n- Good\n- Who has it | nobody is told\n"
    let found = try findings(in: text)
    #expect(found.count == 4, "\(found)")
    #expect(found.first?.hasPrefix(":1: begins with \"What\"") == true, "\(found)")
    #expect(found.filter { $0.hasPrefix(":5: ") }.count == 3, "\(found)")
    // In code: comments, and titles of tests on either line.
    let code =
      "/// What it is.\n@Test(\"Who waits\")\n@Test(\n  \"What waits\",\n  \"who is told\")\nlet what = 1\n"
    #expect(try findings(in: code, of: "swift").map { $0.prefix(3) } == [":1:", ":2:", ":4:"])
  }

  private func lines(of document: Document) -> Int {
    document.text.split(separator: "\n", omittingEmptySubsequences: false).count - 1
  }

  private func flags(in text: String) -> [String] {
    text.matches(of: /--[a-z][a-z-]*/).map { String($0.output) }
  }
}
