import Fuzzing
import Glibc
import PropertyTesting

/// `fuzz TARGET INPUTS SEED`: has one way into the program take so many inputs, and prints the counts of the
/// results.
///
/// Built with `-sanitize=fuzzer` the inputs are those that reach new code (`make fuzz` does that), otherwise
/// they are what the target generates. `fuzz` alone names the targets. `fuzz TARGET replay FILE` repeats one
/// input.
@main
enum Fuzz {
  static func main() {
    let words = CommandLine.arguments
    guard words.count == 4, let target = FuzzTarget.named(words[1]) else {
      for target in FuzzTarget.all { print(target.name) }
      exit(words.count == 1 ? 0 : 2)
    }
    if words[2] == "replay" {
      Tally.begin(target, inputs: 1, seed: 0)
      Tally.take(contents(of: words[3]))
      exit(0)
    }
    guard let inputs = Int(words[2]), inputs > 0, let seed = UInt64(words[3]) else {
      print("fuzz: \(words[2]) inputs with seed \(words[3]): expected two numbers, for example 1000000 1")
      exit(2)
    }
    let count = max(1, inputs / target.cost)
    Tally.begin(target, inputs: count, seed: seed)
    #if COVERAGE_GUIDED
      Guided.run(inputs: count, seed: seed, longest: target.longest)
    #else
      var random = Seeded(seed: seed)
      for _ in 0..<count { Tally.take(target.generate(&random)) }
    #endif
  }

  private static func contents(of path: String) -> [UInt8] {
    guard let file = fopen(path, "r") else {
      print(
        "fuzz: \(path) cannot be read: \(String(cString: strerror(errno))); expected the file of an input")
      exit(2)
    }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    while true {
      let byte = fgetc(file)
      guard byte != EOF else { return bytes }
      bytes.append(UInt8(truncatingIfNeeded: byte))
    }
  }
}
