import Fuzzing
import PropertyTesting
import Testing

@Suite struct FuzzingTests {
  /// Enough to reach common code; `make fuzz` looks for the rest.
  @Test("Input from outside breaks no law", arguments: FuzzTarget.all.map(\.name))
  func laws(name: String) throws {
    let target = try #require(FuzzTarget.named(name))
    let count = 1000 / target.cost
    var accepted = 0
    forAll(count) { seed, random in
      let input = target.generate(&random)
      do {
        if case .accepted = try target.check(input) { accepted += 1 }
      } catch {
        Issue.record("\(name), seed \(seed): \(error)\ninput: \(input)")
      }
    }
    // If all were refused at the door, or none at all, nothing would have been tried.
    let share = Double(accepted) / Double(count)
    #expect((0.05...0.95).contains(share), "\(name): \(share) of the inputs are accepted")
  }
}
