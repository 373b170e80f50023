#if COVERAGE_GUIDED
  import Fuzzing
  import Glibc
  import PropertyTesting

  /// libFuzzer, which `-sanitize=fuzzer` links: it keeps the inputs that reach code no other has reached, and
  /// changes those. Every other input is made by the target, so that it need not find out the structure
  /// first.
  enum Guided {
    static func run(inputs: Int, seed: UInt64, longest: Int) -> Never {
      let options = [
        "fuzz", "-runs=\(inputs)", "-seed=\(UInt32(truncatingIfNeeded: seed))", "-max_len=\(longest)",
        "-artifact_prefix=.build/fuzz/", "-verbosity=0", "-print_funcs=0", "-timeout=60",
        "-rss_limit_mb=4096",
      ]
      // Both live as long as the process.
      var count = Int32(options.count)
      var words = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>.allocate(capacity: options.count + 1)
      for (index, option) in options.enumerated() { words[index] = strdup(option) }
      words[options.count] = nil
      exit(runDriver(&count, &words, takeInput))
    }
  }

  @_silgen_name("LLVMFuzzerRunDriver")
  private func runDriver(
    _ count: UnsafeMutablePointer<Int32>,
    _ words: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
    _ takeInput: @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32
  ) -> Int32

  @_silgen_name("LLVMFuzzerMutate")
  private func mutateAsUsual(_ bytes: UnsafeMutablePointer<UInt8>, _ count: Int, _ longest: Int) -> Int

  /// libFuzzer's name for what takes an input.
  @_cdecl("LLVMFuzzerTestOneInput")
  public func takeInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    Tally.take(Array(UnsafeBufferPointer(start: bytes, count: count)))
    return 0
  }

  /// libFuzzer's name for what makes the next input out of another.
  @_cdecl("LLVMFuzzerCustomMutator")
  public func changeInput(
    _ bytes: UnsafeMutablePointer<UInt8>, _ count: Int, _ longest: Int, _ seed: UInt32
  ) -> Int {
    var random = Seeded(seed: UInt64(seed))
    guard random.oneIn(2), let target = Tally.target else { return mutateAsUsual(bytes, count, longest) }
    let input = target.generate(&random).prefix(longest)
    for (index, byte) in input.enumerated() { bytes[index] = byte }
    return input.count
  }
#endif
