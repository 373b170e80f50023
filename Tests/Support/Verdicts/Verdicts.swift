import Foundation

/// All verdicts of the last run, as they are kept beside this source.
public struct Verdicts: Codable, Sendable, Equatable {
  /// In the order of systems, programs, servers, leaders and situations.
  public private(set) var all: [Verdict]

  /// Some verdicts.
  public init(_ verdicts: [Verdict] = []) {
    all = []
    for verdict in verdicts { add(verdict) }
  }

  /// Adds one, in place of an older one on the same.
  public mutating func add(_ verdict: Verdict) {
    all.removeAll { $0.subject == verdict.subject }
    all.append(verdict)
    all.sort { Self.place($0).lexicographicallyPrecedes(Self.place($1)) }
  }

  private static func place(_ verdict: Verdict) -> [Int] {
    [
      Verdict.System.allCases.firstIndex(of: verdict.system) ?? 0,
      Program.all.firstIndex { $0.name == verdict.program } ?? Program.all.count,
      Verdict.Server.allCases.firstIndex(of: verdict.server) ?? 0,
      Verdict.Leader.allCases.firstIndex(of: verdict.leader) ?? 0,
      Situation.allCases.firstIndex(of: verdict.situation) ?? 0,
    ]
  }

  /// The place of the file below the repository's root.
  public static let path = "Tests/Support/Verdicts/Verdicts.json"

  /// Reads the written verdicts.
  public init(contentsOf file: URL) throws {
    self.init(try JSONDecoder().decode([Verdict].self, from: Data(contentsOf: file)))
  }

  /// Writes one verdict a line.
  public func write(to file: URL) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let lines = try all.map { String(decoding: try encoder.encode($0), as: UTF8.self) }
    try "[\n\(lines.joined(separator: ",\n"))\n]\n".write(to: file, atomically: true, encoding: .utf8)
  }
}
