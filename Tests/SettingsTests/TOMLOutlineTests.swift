import Testing

@testable import Settings

@Suite struct TOMLOutlineTests {
  @Test(
    "A key is found where it stands, and not in strings, comments or tables",
    arguments: [
      ("a = 1\n b=2", ["a@1:1=1", "b@2:2=2"]),
      ("# a = 1\n\"b\\u0063\" = '# no' # yes", ["bc@2:1='# no'"]),
      (
        "a = '''\nb = 2\n''' \nc = \"\"\"\"x\"\"\"\"\"",
        ["a@1:1='''\nb = 2\n'''", "c@4:1=\"\"\"\"x\"\"\"\"\""]
      ),
      ("a = 2020-01-01 10:00:00 # b", ["a@1:1=2020-01-01 10:00:00"]),
      ("a = [1, # ]\n { b = \"]\" }, ]\nc = {}", ["a@1:1=[1, # ]\n { b = \"]\" }, ]", "c@3:1={}"]),
      ("'é' = 1", ["é@1:1=1"]),
      ("a . b = 1\n[ c.d ]\ne = 1\n[[ 'f g' ]]", ["a@1:1…", "c@2:3…", "f g@4:4…"]),
      ("a = 1\r\nb = 2\r\n", ["a@1:1=1", "b@2:1=2"]),
    ] as [(String, [String])])
  func statements(text: String, expected: [String]) {
    let outline = TOMLOutline(text)
    #expect(outline.stop == nil)
    let found = outline.statements.map { statement in
      "\(statement.key)@\(statement.position)" + (statement.isTable ? "…" : "=\(statement.value ?? "")")
    }
    #expect(found == expected)
  }

  @Test("What the parser could not survive stops the outline")
  func stops() {
    let deep = Array(repeating: "a", count: 65).joined(separator: ".")
    #expect(TOMLOutline("\(deep) = 1").stop == .tooDeep(TextPosition(line: 1, column: 130)))
    #expect(TOMLOutline("a = \"\\U00000000\"").stop == .escapedNUL(TextPosition(line: 1, column: 7)))
    #expect(TOMLOutline("a = 1\nb 2").stop == .malformed(TextPosition(line: 2, column: 3), expected: "'='"))
  }
}
