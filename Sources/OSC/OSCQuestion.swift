import JSON
import MusicalTime
import OSCCodec

/// A question about the bridge, by the address it is sent to.
public enum OSCQuestion: Sendable, Hashable {
  /// A member of the status.
  case member(String)
  /// The tempo, as a `d`.
  case tempo
  /// How many quarter notes JACK's position is from the beginning.
  case beatTime
  /// Whether JACK rolls, as `T` or `F`.
  case isRolling
  /// The same, as 1 or 0.
  case startStop

  /// The answer; `nil` where there is none now.
  func answer(in status: JSONObject) -> OSCArgument? {
    switch self {
    case .member(let name): status[name].map { OSCVocabulary.argument($0, of: name) }
    case .tempo: status["tempo"]?.number.map { .double($0) }
    case .beatTime: OSCQuestion.beatTime(status).map { .double($0) }
    case .isRolling: OSCQuestion.isRolling(status).map { .bool($0) }
    case .startStop: OSCQuestion.isRolling(status).map { .int32($0 ? 1 : 0) }
    }
  }

  private static func isRolling(_ status: JSONObject) -> Bool? {
    status["transport"]?.string.map { $0 == "rolling" }
  }

  private static func beatTime(_ status: JSONObject) -> Double? {
    guard let meter = status["meter"]?.string.flatMap({ Meter($0) }), let bar = status["bar"]?.number,
      let beat = status["beat"]?.number, let tick = status["tick"]?.number,
      let ticks = status["ticks_per_beat"]?.number, ticks > 0
    else { return nil }
    let beats = (bar - 1) * Double(meter.beatsPerBar) + beat - 1 + tick / ticks
    return beats * meter.beatLength.doubleValue
  }
}
