import Foundation
import Stage
import Testing
import Typechecking

/// The description of the acceptance benchmark, against the program.
@Suite struct BenchmarkTests {
  @Test func `The table of its groups has all of them, and no others`() throws {
    let text = try String(
      contentsOf: Typechecking.packageRoot.appending(path: "Benchmarks/README.md"), encoding: .utf8)
    let table = text.split(separator: "\n").drop { $0 != "| group | what it measures |" }.dropFirst(2)
    let told = table.prefix { $0.hasPrefix("| `") }.compactMap { row in
      row.firstMatch(of: /^\| `([a-z]+)`/).map { String($0.output.1) }
    }
    let benchmark = try Child(Products.path("acceptance"), ["nothing"], streams: .pipes)
    #expect(try benchmark.wait() == .exited(2))
    let line = try #require(benchmark.lines(of: .errors).first { $0.contains("no group") })
    let list = try #require(line.split(separator: "there are ").last)
    let groups = list.split(separator: ", ").map { $0.prefix { $0 != "-" } }
    #expect(groups.count > 20 && Set(told) == Set(groups.map { String($0) }), "\(told), \(groups)")
  }
}
