import Fuzzing
import MusicalTime
import Reconciliation
import Testing

@testable import jackstay

/// The notices about an owner of the timebase whose position makes no sense.
@Suite struct GridFaultTests {
  static func changed(_ change: (inout TimebaseReading) -> Void) -> TimebaseReading {
    var reading = TimebaseReading.sound(beat: 9, tick: 960)
    change(&reading)
    return reading
  }

  static let faults: [(TimebaseReading, String)] = [
    (changed { $0.bar = 0 }, "bar 0, where bars count from 1"),
    (changed { $0.bar = .min }, "bar -2147483648, where"),
    (changed { $0.bar = .max }, "bar 2147483647, where"),
    (changed { $0.beat = 0 }, "beat 0, where its bar has the beats 1 to 4"),
    (changed { $0.beat = 5 }, "beat 5, where its bar has the beats 1 to 4"),
    (changed { $0.tick = -1 }, "tick -1.0, where its beat has 1920.0 ticks, counted from 0"),
    (changed { $0.tick = 1920 }, "tick 1920.0, where"),
    (changed { $0.tickDouble = .nan }, "tick nan, where"),
    (changed { $0.tickDouble = 962 }, "tick 960 and tick_double 962.0, where the two must be within 1"),
    (changed { $0.beatsPerBar = 0 }, "0.0 beats per bar, where 1 to 64 are expected"),
    (changed { $0.beatsPerBar = 1e9 }, "1e+09 beats per bar"),
    (changed { $0.beatsPerBar = 3.5 }, "3.5 beats per bar"),
    (changed { $0.beatsPerBar = .nan }, "nan beats per bar"),
    (changed { $0.beatType = 0 }, "beat type 0.0, where 1, 2, 4, 8, 16, 32 or 64"),
    (changed { $0.beatType = 6 }, "beat type 6.0"),
    (changed { $0.beatType = .infinity }, "beat type inf"),
    (changed { $0.ticksPerBeat = 0 }, "0.0 ticks per beat"),
    (changed { $0.ticksPerBeat = 1e12 }, "ticks per beat, where 1 to 100000000"),
    (changed { $0.ticksPerBeat = .nan }, "nan ticks per beat"),
    (changed { $0.beatsPerMinute = 0 }, "0.0 bpm, where more than 0"),
    (changed { $0.beatsPerMinute = -120 }, "-120.0 bpm"),
    (changed { $0.beatsPerMinute = .nan }, "nan bpm"),
    (changed { $0.beatsPerMinute = .infinity }, "inf bpm"),
    (changed { $0.bbtFrameOffset = .max }, "4294967295 frames old, where at most 65536"),
  ]

  @Test("A field that contradicts itself is named, with what was expected", arguments: faults)
  func fault(reading: TimebaseReading, message: String) throws {
    guard case .fault(let fault) = reading.check() else {
      Issue.record("no fault: \(message)")
      return
    }
    let sentence = GridFault.reading(fault).phrase
    #expect(sentence.contains(message), "\(sentence)")
    #expect(!sentence.contains(".\n") && !sentence.contains("\n"))
    #expect(sentence.contains(" where "), "it does not say what was expected: \(sentence)")
  }

  @Test(arguments: [OwnerTempo.Fault.doesNotMove, .goesBack, .unsteady])
  func `Beats that do not progress are reported in one sentence`(fault: OwnerTempo.Fault) {
    let sentence = GridFault.progress(fault).phrase
    #expect(sentence.hasPrefix("it") && !sentence.contains("."))
  }
}
