@preconcurrency import Foundation
import Stage

/// Measures the project's promises, on a real JACK server, against an independent Link peer, and prints them
/// as a Markdown table. Arguments name the groups to run, or their beginnings before a hyphen; without any,
/// all run.
///
/// Exit code 0 when all was measured and met, 1 otherwise.
@main
enum Acceptance {
  static let groups: [(name: String, run: @Sendable () throws -> [Figure])] =
    [
      ("accuracy", accuracy), ("drift", drift), ("tempo", tempo), ("launch", launch),
      ("exactness", exactness), ("presses", presses), ("arrival", arrival), ("hold", hold),
      ("follow", follow), ("busy", busy), ("restart", restart), ("callback", callback), ("peers", peers),
      ("processor", processor), ("loops", loops), ("answers", answers), ("soon", soon), ("heard", heard),
      ("downbeat", downbeat), ("bars", bars), ("render", render), ("midi", midi), ("beginnings", beginnings),
      ("minute", minute), ("surfaces", surfaces), ("pipewire", pipewire), ("calibrate", calibrate),
    ] + tortures

  /// The first lines of the table.
  static let head = ["| figure | measured | target | met |", "|---|---|---|---|"]

  static func main() {
    let wanted = CommandLine.arguments.dropFirst()
    let all = groups + situations
    if let unknown = wanted.first(where: { name in !all.contains { covers(name, $0.name) } }) {
      let names = all.map(\.name).joined(separator: ", ")
      FileHandle.standardError.write(Data("acceptance: no group \"\(unknown)\"; there are \(names)\n".utf8))
      exit(2)
    }
    // Rows appear as they are measured, also in a pipe.
    setvbuf(stdout, nil, _IOLBF, 0)
    for line in head { print(line) }
    let isWanted = { (name: String) in wanted.isEmpty || wanted.contains { covers($0, name) } }
    var isAllMet = true
    for group in groups where isWanted(group.name) { isAllMet = measure(group) && isAllMet }
    let besides = situations.filter { isWanted($0.name) }
    if let group = besides.first, besides.count == 1 {
      isAllMet = measure(group) && isAllMet
    } else {
      isAllMet = SideBySide.run(besides.map(\.name)) && isAllMet
    }
    exit(isAllMet ? 0 : 1)
  }

  /// Runs a group and prints its rows; returns whether all was measured and met.
  private static func measure(_ group: (name: String, run: @Sendable () throws -> [Figure])) -> Bool {
    do {
      let figures = try group.run()
      for figure in figures { print(figure.row) }
      return figures.allSatisfy(\.isMet)
    } catch {
      print(failure(of: group.name, "\(error)"))
      return false
    }
  }

  /// The row of a group that could not be measured.
  static func failure(of group: String, _ reason: String) -> String {
    let line = reason.split(separator: "\n").joined(separator: " ")
    return "| \(group) | failed: \(line) | | **no** |"
  }

  /// Whether an argument names a group.
  private static func covers(_ argument: String, _ group: String) -> Bool {
    group == argument || group.hasPrefix("\(argument)-")
  }

  /// Prints details that a figure does not have on standard error.
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

  /// The same for the part of an error that is beyond doubt.
  func certainMagnitudes(_ key: String) -> [Double] { map { $0.certain(key).map(abs) ?? .infinity } }
}

extension ProbeReport {
  /// The bar JACK shows, 0 for none.
  var bar: Double { word("bbt").flatMap { Double($0.prefix { $0 != "|" }) } ?? 0 }
}
