import Foundation
import Testing
import Typechecking

/// The libraries' first examples.
@Suite struct ExampleTests {
  private static let libraries = ["AbletonLink", "JACK"]

  static let examples = libraries.flatMap { library in
    Markdown(Document(path: "Sources/\(library)/\(library).docc/\(library).md").text).blocks(of: "swift")
  }

  @Test func `There is an example of each library`() {
    for library in Self.libraries {
      #expect(Self.examples.contains { $0.contains("import \(library)\n") })
    }
  }

  @Test(arguments: examples)
  func `Every example compiles, without a warning`(example: String) throws {
    #expect(try Typechecking.diagnostics(of: example) == "")
  }

  @Test(arguments: examples)
  func `An example with a mistake in it would be found`(example: String) throws {
    let broken = example + "\nlet mistake: Tempo = \"120\"\n"
    #expect(try Typechecking.diagnostics(of: broken).contains("error: cannot convert value"))
  }
}
