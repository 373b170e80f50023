import JSON
import Settings
import Testing

@testable import Panel
@testable import jackstay

/// The panel's page, against the commands that there are and the dashboard's keys.
@Suite struct PanelKeysTests {
  private static let page = PanelPage.template

  @Test func `Each command that a button has is understood, and no other is there`() throws {
    let commands = Self.page.matches(of: /data-command="([^"]*)"/).map { String($0.output.1) }
    #expect(
      commands == [
        "tempo -1", "tempo +1", "tempo tap", "downbeat now", "rewind", "stop", "start", "mode auto",
        "mode link",
        "mode jack",
      ])
    for command in commands { #expect(try Instruction(line: command) != nil, "\(command)") }
    // And those that are made of what is so.
    let written = Set(
      Self.page.matches(of: /"([a-z-]+) ?[^"]*"/).map { String($0.output.1) }
    ).intersection(Instruction.vocabulary.map(\.word))
    #expect(written.isSuperset(of: ["start", "stop", "rewind", "tempo", "offset", "quantum", "mode"]))
  }

  @Test func `The keys are the dashboard's, and each does the same there`() throws {
    // The keys of the page, and those of the dashboard; only a page needs no key to be left by.
    let said = Self.page.matches(of: /<dt>(.*?)<\/dt><dd>(.*?)<\/dd>/).map { match in
      (
        match.output.1.replacing(/<[^>]*>/, with: "").replacing("&lt;", with: "<").replacing(
          "&gt;", with: ">"),
        String(match.output.2)
      )
    }
    let keys = DashboardAction.keys.dropLast()
    #expect(said.map { String($0.0) } == keys.map(\.0) && said.map(\.1) == keys.map(\.1))

    let program = try #require(Self.page.firstMatch(of: /const keys = \{((?s).*?)\n\};/)?.output.1)
    let actions = Dictionary(
      uniqueKeysWithValues: program.matches(of: /\n  "([^"]+)": \(\) => (.*),/).map {
        (String($0.output.1), String($0.output.2))
      })
    let status = ["transport": "rolling", "mode": "auto", "quantum": 4, "offset_ms": 0] as JSONObject
    let expected = [
      "stop": "tell(commands.toggle())", "tempo tap": "tap()", "mode link": "tell(commands.nextMode())",
      "offset -1ms": "tell(commands.offset(-1))", "offset +1ms": "tell(commands.offset(1))",
      "quantum 3": "tell(commands.quantum(-1))", "quantum 5": "tell(commands.quantum(1))",
    ]
    for character in (0x20...0x7E).map({ Character(UnicodeScalar($0)) }) {
      let action = actions[String(character)]
      switch DashboardAction(.character(character), status) {
      case .tell(let command): #expect(action == expected[command] ?? "tell(\"\(command)\")", "\(character)")
      case .toggleHelp: #expect(action == "part(\"help\").showModal()")
      case .leave, nil: #expect(action == nil, "\(character)")
      }
    }
    #expect(actions["ArrowUp"] == actions["+"] && actions["ArrowDown"] == actions["-"])
    #expect(actions.count == 21)
  }
}
