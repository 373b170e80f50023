import ArgumentParser
import Foundation
import Settings
import Testing
import Typechecking

@testable import jackstay

/// The pages of the manual, against the program.
@Suite struct ManualTests {
  private func page(_ name: String) throws -> String {
    let url = Typechecking.packageRoot.appending(path: "Config/\(name)")
    return try String(contentsOf: url, encoding: .utf8).replacing("\\-", with: "-")
      .replacing("\\(aq", with: "'").replacing("\\(dq", with: "\"")
  }

  private func flags(in text: String) -> Set<String> {
    Set(text.matches(of: /--[a-z][a-z-]*[a-z]/).map { String($0.output) })
  }

  @Test func `jackstay(1) has every command and flag of the help, and no other`() throws {
    let page = try page("jackstay.1")
    let help = Jackstay.helpMessage(columns: 10000)
    let known = flags(in: help).union(["--json", "--user", "--now", "--help-all", "--within"])
    #expect(known.subtracting(flags(in: page)).isEmpty)
    #expect(flags(in: page).subtracting(known).isEmpty)
    for word in Instruction.vocabulary {
      let summary = "\(word.summary.prefix(1).uppercased())\(word.summary.dropFirst())."
      #expect(
        page.contains(".B \(word.word)\n\(summary)\n")
          || page.contains(".BI \(word.word) \" \(word.parameter ?? "")\"\n\(summary)\n"), "\(word.usage)")
    }
    let commands = Jackstay.configuration.subcommands.compactMap { $0.configuration.commandName }
    #expect(commands.contains("top") && commands.contains("peers") && commands.contains("doctor"))
    #expect(commands.contains("calibrate"))
    for command in commands where command != "run" {
      #expect(page.contains("\n.B \(command)\n") || page.contains("\n.BI \(command) "))
    }
    for section in ["OPTIONS", "SIGNALS", "FILES", "ENVIRONMENT", "EXIT STATUS", "EXAMPLES"] {
      #expect(page.contains("\n.SH \(section)\n"))
    }
    #expect(page.contains("jackstay \(Version.jackstay)"))
    // The examples that a user came for are first.
    #expect(
      page.split(separator: "\n.SH ").map { $0.prefix { $0 != "\n" } }.dropFirst().prefix(3) == [
        "NAME", "SYNOPSIS", "EXAMPLES",
      ])
  }

  @Test func `jackstay(1) has the help of each option`() throws {
    let page = try page("jackstay.1")
    for line in Jackstay.helpMessage(columns: 10000).components(separatedBy: "\n") {
      guard let match = line.firstMatch(of: /^  --[a-z].*?  +(\S.*)$/) else { continue }
      #expect(page.contains(match.output.1), "\(match.output.1)")
    }
  }

  @Test func `jackstay.toml(5) has every key with its example or default, and what it takes`() throws {
    let page = try page("jackstay.toml.5")
    for setting in Setting.all {
      #expect(page.contains("\n.B \(setting.key) = "), "\(setting.key)")
      #expect(page.contains(setting.expectation), "\(setting.key): \(setting.expectation)")
    }
    #expect(page.matches(of: #/\n\.B [a-z-]+ = /#).count == Setting.all.count)
  }
}
