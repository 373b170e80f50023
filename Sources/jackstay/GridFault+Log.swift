import Reconciliation

extension GridFault {
  /// One sentence: what was wrong and what was expected.
  var sentence: String {
    switch self {
    case .reading(let fault): fault.sentence
    case .progress(let fault): fault.sentence
    }
  }
}

extension TimebaseFault {
  fileprivate var sentence: String {
    switch self {
    case .bar(let bar):
      "The timebase owner says bar \(bar), where bars are counted from 1 and end at a thousand million beats."
    case .beat(let beat, let beatsPerBar):
      "The timebase owner says beat \(beat), where its bar has the beats 1 to \(beatsPerBar)."
    case .tick(let tick, let ticksPerBeat):
      "The timebase owner says tick \(tick), where its beat has \(ticksPerBeat) ticks, counted from 0."
    case .tickDouble(let fraction, let tick):
      "The timebase owner says tick \(tick) and tick_double \(fraction), where the two must be within 1."
    case .beatsPerBar(let count):
      "The timebase owner says \(count) beats per bar, where a whole number from 1 to 64 was expected."
    case .beatType(let type):
      "The timebase owner says beat type \(type), where 1, 2, 4, 8, 16, 32 or 64 was expected."
    case .ticksPerBeat(let count):
      "The timebase owner says \(count) ticks per beat, where 1 to 100000000 were expected."
    case .beatsPerMinute(let tempo):
      "The timebase owner says \(tempo) beats per minute, where one above 0, up to 1000000, was expected."
    case .frameOffset(let frames):
      "The timebase owner's position is \(frames) frames old, where at most 65536 were expected."
    }
  }
}

extension OwnerTempo.Fault {
  fileprivate var sentence: String {
    switch self {
    case .doesNotMove:
      "The timebase owner's position does not move while the transport rolls, where progress was expected."
    case .goesBack:
      "The timebase owner's position goes back while the transport rolls, where progress was expected."
    case .unsteady:
      "The timebase owner's beats progress at no tempo, where one that lasts 40 ms or more was expected."
    }
  }
}
