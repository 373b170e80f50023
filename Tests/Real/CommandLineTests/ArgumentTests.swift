import Foundation
import Fuzzing
import PropertyTesting
import Settings
import Testing

@testable import jackstay

/// Any words at all, as a shell or another program hands them to the program.
@Suite struct ArgumentTests {
  private static let words =
    [
      "run", "help", "--help", "-h", "--version", "--config", "--config=c.toml", "--", "-", "---", "=", "120",
      "x", "",
    ]
    + Setting.all.flatMap { setting in
      ["--\(setting.key)", "--no-\(setting.key)"].flatMap { [$0, "\($0)=\(setting.example)", "\($0)="] }
    }

  private func words(_ random: inout Seeded) -> [[UInt8]] {
    (0..<Int.random(in: 0...4, using: &random)).flatMap { _ -> [[UInt8]] in
      let setting = Setting.all.randomElement(using: &random)
      guard let setting, !random.oneIn(3) else {
        var word = Array((Self.words.randomElement(using: &random) ?? "").utf8)
        if random.oneIn(2) { word.mutate(Self.words, &random) }
        // An argument of a program ends at its first NUL.
        return [Array(word.prefix { $0 != 0 })]
      }
      return Vocabulary.flag(setting, &random).map { Array($0.utf8) }
    }
  }

  /// A command line takes tens of milliseconds in a debug build; `FUZZ_INPUTS` in the environment is for
  /// longer runs.
  @Test func `Any words are settings, or get one line that says what to do`() {
    let count = ProcessInfo.processInfo.environment["FUZZ_INPUTS"].flatMap(Int.init) ?? 60
    var accepted = 0
    forAll(count) { seed, random in
      let words = words(&random)
      do {
        guard let run = try Jackstay.parsedCommand(words) as? Run else { return }
        _ = try Settings(run.options, environment: [:])
        accepted += 1
      } catch let error as SettingsError {
        let line = error.description
        let shown = words.map { String(decoding: $0, as: UTF8.self).debugDescription }
        #expect(line.isOneLine && line.unicodeScalars.count <= 700, "seed \(seed), \(shown): \(line)")
        let advice = ["expected", "ee jackstay --help", "keep one", "correct the path"]
        #expect(advice.contains { line.contains($0) }, "seed \(seed), \(shown): \(line)")
      } catch {
        #expect(Jackstay.exitCode(for: error).isSuccess, "seed \(seed): \(error)")
      }
    }
    let share = Double(accepted) / Double(count)
    #expect((0.05...0.95).contains(share), "\(share) of the command lines are accepted")
  }
}
