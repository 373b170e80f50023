import Foundation
import SwiftOperators
import SwiftParser
import SwiftSyntax

/// One change of one place.
struct Mutation: CustomStringConvertible {
  /// The file, below the root of the project.
  let file: String
  /// Where in the file, counted from 1, and in bytes from its beginning.
  let line: Int
  let lineText: String
  let bytes: Range<Int>
  /// The source there, and the source that replaces it.
  let original: String, changed: String
  /// Whether it is a comparison in which equal sides alone count otherwise.
  let concernsEqual: Bool
  /// The source of both, for the change of a number: it does what is changed if that one is chosen, and otherwise
  /// what it did.
  let replacement: @Sendable (_ number: Int) -> String

  var description: String { "\(file):\(line): \(brief(original)) -> \(brief(changed))" }
  /// The same with the line's text in place of its number.
  var name: String { "\(file): \(lineText): \(brief(original)) -> \(brief(changed))" }

  private func brief(_ text: String) -> String {
    text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }
}

/// Finds everything in a file that can be changed.
final class MutationFinder: SyntaxVisitor {
  private let file: String
  private let converter: SourceLocationConverter
  private let lines: [Substring]
  private var mutations: [Mutation] = []

  static func mutations(in source: String, of file: String) -> [Mutation] {
    let parsed = Parser.parse(source: source)
    // Precedence has a tree be what is calculated.
    let tree = OperatorTable.standardOperators.foldAll(parsed) { _ in }
    let finder = MutationFinder(file, source, SourceLocationConverter(fileName: file, tree: tree))
    finder.walk(tree)
    return finder.mutations
  }

  private init(_ file: String, _ source: String, _ converter: SourceLocationConverter) {
    self.file = file
    lines = source.split(separator: "\n", omittingEmptySubsequences: false)
    self.converter = converter
    super.init(viewMode: .sourceAccurate)
  }

  // MARK: Code that is left alone

  override func visit(_: AttributeSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
  override func visit(_: EnumCaseDeclSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
  override func visit(_: StringLiteralExprSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
  override func visit(_: SwitchCaseItemSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
  override func visit(_: InlineArrayTypeSyntax) -> SyntaxVisitorContinueKind { .skipChildren }

  // MARK: Constants

  override func visit(_ node: IntegerLiteralExprSyntax) -> SyntaxVisitorContinueKind {
    guard let number = Int(node.literal.text.filter { $0 != "_" }) else { return .skipChildren }
    // A larger number is a bound or a weight: one more is a mistake that nothing could notice, nor has to.
    let factors = number > 2 ? [number * 2, number / 2] : []
    for other in number == 1 ? [0, 2] : factors + (number > 16 ? [] : [number + 1]) { add(node, "\(other)") }
    return .skipChildren
  }

  override func visit(_ node: FloatLiteralExprSyntax) -> SyntaxVisitorContinueKind {
    guard let number = Double(node.literal.text.filter { $0 != "_" }) else { return .skipChildren }
    for other in number == 0 ? [1] : [number * 2, number / 2] { add(node, "\(other)") }
    return .skipChildren
  }

  override func visit(_ node: BooleanLiteralExprSyntax) -> SyntaxVisitorContinueKind {
    // A loop that nothing leaves but a return has to be known as one.
    guard node.parent?.parent?.parent?.is(WhileStmtSyntax.self) != true else { return .skipChildren }
    add(node, node.literal.text == "true" ? "false" : "true")
    return .skipChildren
  }

  // MARK: Operators

  private static let others: [String: [String]] = [
    "<": ["<=", ">"], "<=": ["<", ">"], ">": [">=", "<"], ">=": [">", "<"], "==": ["!="], "!=": ["=="],
    "+": ["-"], "-": ["+"], "*": ["/"], "/": ["*"], "&+": ["&-"], "&-": ["&+"],
  ]

  override func visit(_ node: InfixOperatorExprSyntax) -> SyntaxVisitorContinueKind {
    guard let symbol = node.operator.as(BinaryOperatorExprSyntax.self)?.operator.text else {
      return .visitChildren
    }
    let (left, right) = (node.leftOperand.trimmedDescription, node.rightOperand.trimmedDescription)
    for other in Self.others[symbol] ?? [] {
      let concernsEqual = Self.isSameButForEqual(symbol, other)
      if concernsEqual, isChoice(node) { continue }
      add(node, "\(left) \(other) \(right)", where: concernsEqual ? "(\(left)) == (\(right))" : nil)
    }
    if symbol == "&&" || symbol == "||" {
      for side in [node.leftOperand, node.rightOperand] { force(side, symbol == "&&") }
    }
    return .visitChildren
  }

  /// Whether it chooses the greater or the lesser of its two sides: of equal ones either is taken.
  private func isChoice(_ node: InfixOperatorExprSyntax) -> Bool {
    guard let choice = node.parent?.as(TernaryExprSyntax.self), choice.condition.id == node.id else {
      return false
    }
    let results = [choice.thenExpression.trimmedDescription, choice.elseExpression.trimmedDescription]
    return results.sorted()
      == [node.leftOperand.trimmedDescription, node.rightOperand.trimmedDescription].sorted()
  }

  private static func isSameButForEqual(_ symbol: String, _ other: String) -> Bool {
    symbol.prefix(1) == other.prefix(1) && symbol != other
  }

  override func visit(_ node: PrefixOperatorExprSyntax) -> SyntaxVisitorContinueKind {
    if ["!", "-"].contains(node.operator.text) { add(node, node.expression.trimmedDescription) }
    return .visitChildren
  }

  // MARK: Conditions

  override func visit(_ node: ConditionElementSyntax) -> SyntaxVisitorContinueKind {
    if case .expression(let condition) = node.condition, !condition.is(BooleanLiteralExprSyntax.self) {
      for value in [true, false] { force(condition, value) }
    }
    return .visitChildren
  }

  override func visit(_ node: TernaryExprSyntax) -> SyntaxVisitorContinueKind {
    for value in [true, false] { force(node.condition, value) }
    return .visitChildren
  }

  override func visit(_ node: WhereClauseSyntax) -> SyntaxVisitorContinueKind {
    force(node.condition, true)
    return .visitChildren
  }

  // MARK: Statements

  override func visit(_ node: CodeBlockItemSyntax) -> SyntaxVisitorContinueKind {
    // A statement that does something, and not a value that is returned.
    guard case .expr(let statement) = node.item, let list = node.parent?.as(CodeBlockItemListSyntax.self),
      list.count > 1 || statement.is(InfixOperatorExprSyntax.self),
      // An initializer has to set everything.
      list.parent?.parent?.is(InitializerDeclSyntax.self) != true
    else { return .visitChildren }
    let isDone =
      statement.as(InfixOperatorExprSyntax.self).map {
        $0.operator.is(AssignmentExprSyntax.self) || $0.operator.trimmedDescription.hasSuffix("=")
      } ?? statement.is(FunctionCallExprSyntax.self)
    if isDone {
      let text = statement.trimmedDescription
      add(statement, "nothing") { "if !isMutant(\($0), true) { \(text) }" }
    }
    return .visitChildren
  }

  // MARK: -

  private func force(_ condition: some ExprSyntaxProtocol, _ value: Bool) {
    let text = condition.trimmedDescription
    add(condition, "\(value)") { "forced(\($0), \(value), \(text))" }
  }

  private func add(_ node: some ExprSyntaxProtocol, _ changed: String, where equal: String? = nil) {
    // In one line, so that the lines of the compiler's errors are those of the source.
    guard !changed.contains("//"), equal?.contains("//") != true else { return }
    let (text, line) = (node.trimmedDescription, changed.replacingOccurrences(of: "\n", with: " "))
    let differs = equal?.replacingOccurrences(of: "\n", with: " ") ?? "true"
    add(node, changed, concernsEqual: equal != nil) {
      "(isMutant(\($0), \(differs)) ? (\(line)) : (\(text)))"
    }
  }

  private func add(
    _ node: some ExprSyntaxProtocol, _ changed: String, concernsEqual: Bool = false,
    _ replacement: @escaping @Sendable (_ number: Int) -> String
  ) {
    let begin = node.positionAfterSkippingLeadingTrivia
    let end = node.endPositionBeforeTrailingTrivia
    let line = converter.location(for: begin).line
    mutations.append(
      Mutation(
        file: file, line: line, lineText: lines[line - 1].trimmingCharacters(in: .whitespaces),
        bytes: begin.utf8Offset..<end.utf8Offset,
        original: node.trimmedDescription, changed: changed, concernsEqual: concernsEqual,
        replacement: replacement))
  }
}
