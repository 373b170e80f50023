import Glibc

extension Scene {
  /// Presses play and stop, locates and changes the tempo at random, from all sides, mostly in quick
  /// succession.
  ///
  /// Now and then it checks that both sides have agreed, and that a start and a stop still have their
  /// effects.
  ///
  /// - Parameters:
  ///   - count: How many presses.
  ///   - interval: How many presses are between two checks.
  ///   - random: Where the presses come from.
  /// - Returns: The result; everything is stopped then.
  /// - Throws: ``StageError`` when the probe or the bridge has ended.
  public func press(
    _ count: Int, checkingEvery interval: Int = 20, using random: inout some RandomNumberGenerator
  ) throws(StageError) -> PressTally {
    var tally = PressTally()
    var tempos = ChosenTempos()
    let before = try jumps().count
    for number in 1...max(count, 1) {
      let press = Press.any(using: &random)
      if let tempo = press.tempo { tempos.choose(tempo) }
      try perform(press, &tally)
      let gap = Int.random(in: 0..<20, using: &random) == 0 ? 0...1500 : 0...50
      usleep(UInt32(Int.random(in: gap, using: &random)) * 1000)
      if number.isMultiple(of: interval) || number == count { try check(&tally, using: &random) }
    }
    tally.linkJumps = try jumps().dropFirst(before).count { !tempos.explain($0) }
    return tally
  }

  /// The moves of the grid that the probe has seen.
  private func jumps() throws(StageError) -> [ProbeReport] {
    _ = try probe.peers()
    return probe.gridMoves
  }

  private func perform(_ press: Press, _ tally: inout PressTally) throws(StageError) {
    tally.note("\(press)")
    try perform(press)
  }

  private func check(
    _ tally: inout PressTally, using random: inout some RandomNumberGenerator
  ) throws(StageError) {
    tally.note("check")
    tally.expectAgreement(try agrees())
    if try probe.peers()["jack_state"] == 0 {
      try perform(.start(using: &random), &tally)
      // Four beats at the slowest tempo are 2.4 s, and after a missed deadline it may be five more.
      let isRolling = try probe.awaitState("rolling", seconds: 20)
      tally.expectStart(try probe.awaitState("playing") && isRolling)
    }
    try perform(.stop(using: &random), &tally)
    let isStopped = try probe.awaitState("stopped")
    tally.expectStop(try probe.awaitState("idle") && isStopped)
    tally.expectAgreement(try agrees())
    // The next ones begin stopped, whatever was lost.
    try probe.send("jackstop")
    try probe.send("stop")
  }

  /// Whether JACK and Link come to agree, and then still do.
  private func agrees() throws(StageError) -> Bool {
    for _ in 0..<40 {
      usleep(200_000)
      guard try isAgreed() else { continue }
      usleep(200_000)
      if try isAgreed() { return true }
    }
    return false
  }

  private func isAgreed() throws(StageError) -> Bool {
    let now = try probe.peers()
    return (now["jack_state"] != 0) == (now["link_playing"] == 1)
  }
}

/// The tempos that all sides have chosen lately.
///
/// Link tells peers of changes at most every 50 ms. Where one tempo follows another sooner than that, each peer has
/// counted beats at another one until then, and the grid moves by the difference.
private struct ChosenTempos {
  private var all: [(time: ContinuousClock.Instant, bpm: Double)] = []

  mutating func choose(_ bpm: Double) { all.append((.now, bpm)) }

  /// Whether the tempos that were chosen about when that one was account for a move of the grid.
  func explain(_ jump: ProbeReport) -> Bool {
    guard let size = jump["size"], let old = jump["old_bpm"], let new = jump["new_bpm"],
      let chosen = all.last(where: { ($0.bpm - new).magnitude < 0.01 })
    else { return false }
    let first = all.firstIndex { chosen.time - $0.time < .milliseconds(150) } ?? 0
    let near = all[max(0, first - 1)...].prefix { $0.time - chosen.time < .milliseconds(150) }
    let tempos = near.map(\.bpm) + [old, new]
    let difference = (tempos.max() ?? new) - (tempos.min() ?? new)
    // And some milliseconds until a cycle has it.
    return size.magnitude / 1e6 * old <= difference * 0.060
  }
}

extension Press {
  /// The tempo that it chooses.
  fileprivate var tempo: Double? {
    let words =
      switch self {
      case .probe(let line), .bridge(let line): line.split(separator: " ")
      }
    return words.first == "tempo" ? words.last.flatMap { Double($0) } : nil
  }

  fileprivate static func start(using random: inout some RandomNumberGenerator) -> Press {
    switch Int.random(in: 0..<4, using: &random) {
    case 0, 1: .jackStart
    case 2: Bool.random(using: &random) ? .peersPlay : .probe("play")
    default: .typedStart
    }
  }

  fileprivate static func stop(using random: inout some RandomNumberGenerator) -> Press {
    switch Int.random(in: 0..<5, using: &random) {
    case 0, 1: .jackStop
    case 2, 3: .peersStop
    default: .typedStop
    }
  }

  fileprivate static func any(using random: inout some RandomNumberGenerator) -> Press {
    let frame = Int.random(in: 0..<2_000_000, using: &random)
    // Whole microseconds per beat, as in Link's protocol: 100 to 240 beats per minute.
    let tempo = 60e6 / Double(Int.random(in: 250_000...600_000, using: &random))
    return switch Int.random(in: 0..<20, using: &random) {
    case 0..<8: start(using: &random)
    case 8..<14: stop(using: &random)
    case 14, 15: .probe("locate \(frame)")
    case 16: .probe("reposition \(frame)")
    case 17, 18: .probe("tempo \(tempo)")
    default: .bridge("tempo \(tempo)")
    }
  }
}
