@preconcurrency import Foundation
import Stage

/// Measures what the project promises, on a real JACK server, against an independent Link peer, and prints it as a
/// Markdown table. Arguments name the groups to run, or what their names begin with before a
/// hyphen; without any, all run.
///
/// Exit code 0 when all was measured and met, 1 otherwise.
@main
enum Acceptance {
  static let groups: [(name: String, run: @Sendable () throws -> [Figure])] =
    [
      ("accuracy", accuracy), ("stall", stall), ("drift", drift), ("tempo", tempo), ("launch", launch),
      ("exactness", exactness), ("presses", presses), ("arrival", arrival), ("hold", hold),
      ("follow", follow), ("busy", busy), ("restart", restart), ("callback", callback), ("peers", peers),
      ("processor", processor),
    ] + tortures

  static func main() {
    let wanted = CommandLine.arguments.dropFirst()
    if let unknown = wanted.first(where: { name in !groups.contains { covers(name, $0.name) } }) {
      let names = groups.map(\.name).joined(separator: ", ")
      FileHandle.standardError.write(Data("acceptance: no group \"\(unknown)\"; there are \(names)\n".utf8))
      exit(2)
    }
    // Rows appear as they are measured, also in a pipe.
    setvbuf(stdout, nil, _IOLBF, 0)
    print("| figure | measured | target | met |\n|---|---|---|---|")
    var isAllMet = true
    for group in groups where wanted.isEmpty || wanted.contains(where: { covers($0, group.name) }) {
      do {
        for figure in try group.run() {
          print(figure.row)
          isAllMet = isAllMet && figure.isMet
        }
      } catch {
        print("| \(group.name) | failed: \(error) | | **no** |")
        isAllMet = false
      }
    }
    exit(isAllMet ? 0 : 1)
  }

  /// Whether an argument names a group.
  private static func covers(_ argument: String, _ group: String) -> Bool {
    group == argument || group.hasPrefix("\(argument)-")
  }

  /// Says on standard error what a figure does not tell.
  static func remark(_ text: String) { FileHandle.standardError.write(Data("\(text)\n".utf8)) }

  static let periods = [64, 256, 1024]
}

extension [Double] {
  /// The middle value.
  var median: Double? { isEmpty ? nil : sorted()[count / 2] }
}

extension [ProbeReport] {
  /// How large a number is in each report; infinite where there is none, so that it misses its target.
  func magnitudes(_ key: String) -> [Double] { map { $0[key].map(abs) ?? .infinity } }
}

extension ProbeReport {
  /// The bar JACK shows, 0 for none.
  var bar: Double { word("bbt").flatMap { Double($0.prefix { $0 != "|" }) } ?? 0 }
}
