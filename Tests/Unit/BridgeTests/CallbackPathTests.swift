import Foundation
import Testing
import Typechecking

/// That `@_noLocks` is on the whole way of a callback, and that it bites there.
@Suite struct CallbackPathTests {
  /// The functions in which JACK's thread comes in, by file: if these may not lock, nothing that they call
  /// may.
  static let entries = [
    "JACK": [
      "Callbacks.swift": ["onProcess", "onSync", "onTimebase"],
      "RealtimeTarget.swift": ["process", "sync", "timebase"],
    ],
    "Bridge": ["Cycle.swift": ["sync", "process", "timebase", "decide"]],
    "Reconciliation": ["Reconciler.swift": ["reconcile"]],
  ]

  @Test("As it is, each module compiles", arguments: entries.keys)
  func unchanged(module: String) throws {
    #expect(try Typechecking.diagnostics(ofModule: module) { $1 } == "")
  }

  @Test("An array made anywhere on the way does not compile", arguments: entries.keys)
  func allocation(module: String) throws {
    var spoilt: Set<String> = []
    var places: Set<String> = []
    let output = try Typechecking.diagnostics(ofModule: module) { file, text in
      let source = AnnotatedSource(text)
      spoilt.formUnion(source.functions.map { "\(file): \($0.name)" })
      let result = source.inserting("_ = [Int](repeating: 0, count: 8)")
      places.formUnion(result.lines.map { "\(file):\($0)" })
      return result.text
    }
    for (file, functions) in try #require(Self.entries[module]) {
      for function in functions { #expect(spoilt.contains("\(file): \(function)")) }
    }
    let error = #/([A-Za-z+]+\.swift:[0-9]+):[0-9]+: error: /#
    let errors = output.matches(of: error).map { match in String(match.output.1) }
    #expect(Set(errors) == places, "\(output)")
  }

  @Test func `The exceptions from the compiler's check are known`() throws {
    var found: [String] = []
    let sources = Typechecking.packageRoot.appending(path: "Sources")
    let files = try #require(FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil))
    for case let file as URL in files where file.pathExtension == "swift" {
      let lines = try String(contentsOf: file, encoding: .utf8).components(separatedBy: "\n")
      for (line, next) in zip(lines, lines.dropFirst()) where line.contains("no_performance_analysis") {
        found.append("\(file.lastPathComponent): \(AnnotatedSource.name(in: next) ?? next)")
      }
    }
    // Calls of open methods, whose overrides are checked where they are written; and a C function that wakes.
    let known = ["RealtimeTarget.swift: callProcess", "RealtimeTarget.swift: callSync"]
    #expect(Set(found) == Set(known + ["RealtimeTarget.swift: callTimebase", "Wakeup.swift: post"]))
    #expect(found.count == 4)
  }

  @Test func `Functions are found by their annotation`() {
    let text = """
      @_noLocks
      func one() -> Int {
        let a = 1
        return a
      }
      func two() {
        other()
        other()
      }
      var three: Int { @_noLocks get { 3 } }
      @_noLocks
      func four(
        _ a: Int
      ) -> Int {
        a
      }
      """
    let source = AnnotatedSource(text)
    #expect(source.functions.map(\.name) == ["one"])
    let result = source.inserting("x()")
    #expect(result.lines == [3])
    #expect(result.text.components(separatedBy: "\n")[2] == "x()")
  }
}

/// Swift source text, laid out as `swift format` does, and where its functions marked `@_noLocks` begin.
private struct AnnotatedSource {
  struct Function {
    var name: String
    /// The index of the line after which its body begins.
    var line: Int
  }

  let lines: [String]
  /// Those with more than one statement: in the others the one may be an expression, which a second statement
  /// would make invalid.
  private(set) var functions: [Function] = []

  init(_ text: String) {
    lines = text.components(separatedBy: "\n")
    var isMarked = false
    var name: String?
    for (index, line) in lines.enumerated() {
      let content = line.trimmingCharacters(in: .whitespaces)
      guard !content.hasPrefix("//") else { continue }
      if content.hasPrefix("@_noLocks") { isMarked = true }
      guard isMarked else { continue }
      name = name ?? AnnotatedSource.name(in: line)
      guard content.contains("{") else { continue }
      if content.hasSuffix("{"), let name, hasStatements(after: index) {
        functions.append(Function(name: name, line: index))
      }
      isMarked = false
      name = nil
    }
  }

  /// The name of the function, or "init", that a line declares.
  static func name(in line: String) -> String? {
    line.firstMatch(of: /(?:func (\w+)|(init))[(<]/).map { String($0.output.1 ?? "init") }
  }

  /// Whether more than one statement follows before the brace that ends the body.
  private func hasStatements(after line: Int) -> Bool {
    let body = lines[(line + 1)...]
    guard let first = body.first else { return false }
    let indent = String(first.prefix { $0 == " " })
    let inside = body.prefix { $0.isEmpty || $0.hasPrefix(indent) }
    return inside.filter { line in
      let rest = line.dropFirst(indent.count)
      return !["", " ", "}", ")", "case", "default", "//", ".", "#"].contains {
        $0.isEmpty ? rest.isEmpty : rest.hasPrefix($0)
      }
    }.count > 1
  }

  /// The text with a statement at the beginning of each function, and the numbers of the lines it then is in.
  func inserting(_ statement: String) -> (text: String, lines: [Int]) {
    var result = lines
    for function in functions.reversed() { result.insert(statement, at: function.line + 1) }
    return (
      result.joined(separator: "\n"), functions.enumerated().map { $0.element.line + 2 + $0.offset }
    )
  }
}
