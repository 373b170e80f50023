import MusicalTime
import PropertyTesting
import Reconciliation

extension TimebaseReading {
  /// A position as real owners publish it.
  public static func sound(beat: Int64, tick: Int32 = 0, beatsPerMinute: Double = 120) -> TimebaseReading {
    TimebaseReading(
      isValid: true, bar: Int32(truncatingIfNeeded: beat / 4 + 1),
      beat: Int32(truncatingIfNeeded: beat % 4 + 1),
      tick: tick, beatsPerBar: 4, beatType: 4, ticksPerBeat: 1920, beatsPerMinute: beatsPerMinute)
  }

  /// Puts any value that a client may have left into one field.
  mutating func spoil(_ genes: inout Genes) {
    switch genes.below(10) {
    case 0: isValid = genes.truth()
    case 1: bar = genes.int32()
    case 2: beat = genes.int32()
    case 3: tick = genes.int32()
    case 4: beatsPerBar = Float(genes.double())
    case 5: beatType = Float(genes.double())
    case 6: ticksPerBeat = genes.double()
    case 7: beatsPerMinute = genes.double()
    case 8: tickDouble = genes.truth() ? genes.double() : nil
    default: bbtFrameOffset = genes.truth() ? genes.uint32() : nil
    }
  }

  /// The laws of the checked position, for any reading.
  func checkLaws() throws(BrokenLaw) -> FuzzTarget.Verdict {
    switch check() {
    case .absent:
      try require(!isValid, "a position that is declared valid is absent")
      return .refused
    case .fault(let fault):
      try require(isValid, "what nobody declares valid is a fault: \(fault)")
      return .refused
    case .position(let found):
      try require(found.beat >= .zero, "a position before bar 1 was taken: \(found)")
      try require(
        found.declaredBeatsPerMinute.isFinite && found.declaredBeatsPerMinute > 0,
        "no tempo was taken: \(found)")
      try require(
        found.tickLength >= .zero && found.tickLength <= Beats(nanobeats: 4_000_000_000), "tick: \(found)")
      try require((0...65_536).contains(found.age.count), "a position of another time was taken: \(found)")
      if let tempo = FoldedTempo(beatsPerMinute: found.declaredBeatsPerMinute) {
        try require(Tempo.range.contains(tempo.tempo.beatsPerMinute), "folded to \(tempo.tempo)")
        try require(tempo.fold(found.beat) >= .zero, "\(tempo) folds \(found.beat) to before bar 1")
      }
      return .accepted
    }
  }
}

extension FuzzTarget {
  /// One position of another owner of the timebase, after the copy out of JACK.
  static let timebase = FuzzTarget(
    name: "timebase", longest: 128,
    generate: { random in
      // How many fields are wrong, where the music is, and their values.
      [UInt8.random(in: 0...3, using: &random)]
        + (0..<40).map { _ in UInt8.random(in: 0...255, using: &random) }
    },
    check: { bytes throws(BrokenLaw) in
      var genes = Genes(bytes)
      let spoilt = genes.below(12)
      var reading = TimebaseReading.sound(
        beat: Int64(genes.byte()) << Int64(genes.below(30)), tick: Int32(genes.byte()))
      for _ in 0..<spoilt { reading.spoil(&genes) }
      return try reading.checkLaws()
    })
}
