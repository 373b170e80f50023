import Reconciliation

extension GridFault {
  /// The fault, and the expected value, as part of a sentence.
  var phrase: String {
    switch self {
    case .reading(let fault): fault.phrase
    case .progress(let fault): fault.phrase
    }
  }
}

extension TimebaseFault {
  fileprivate var phrase: String {
    switch self {
    case .bar(let bar):
      "bar \(bar), where bars count from 1 up to a thousand million beats"
    case .beat(let beat, let beatsPerBar):
      "beat \(beat), where its bar has the beats 1 to \(beatsPerBar)"
    case .tick(let tick, let ticksPerBeat):
      "tick \(tick), where its beat has \(ticksPerBeat) ticks, counted from 0"
    case .tickDouble(let fraction, let tick):
      "tick \(tick) and tick_double \(fraction), where the two must be within 1"
    case .beatsPerBar(let count):
      "\(count) beats per bar, where 1 to 64 are expected"
    case .beatType(let type):
      "beat type \(type), where 1, 2, 4, 8, 16, 32 or 64 is expected"
    case .ticksPerBeat(let count):
      "\(count) ticks per beat, where 1 to 100000000 are expected"
    case .beatsPerMinute(let tempo):
      "\(tempo) bpm, where more than 0 and up to 1000000 is expected"
    case .frameOffset(let frames):
      "\(frames) frames old, where at most 65536 are expected"
    }
  }
}

extension OwnerTempo.Fault {
  fileprivate var phrase: String {
    switch self {
    case .doesNotMove:
      "it does not move while the transport rolls"
    case .goesBack:
      "it goes back while the transport rolls"
    case .unsteady:
      "its beats keep no tempo for 40 ms"
    }
  }
}
