import JSON
import MusicalTime

/// A session's beat as a bridge reports it, counted without an end: a status has it within the quantum alone.
struct SessionBeat: Sendable {
  /// Why the beat cannot be used.
  enum Fault: Error, Hashable {
    /// The status has none.
    case missing
    /// The quantum is not a whole number of beats: where the others' beats are is not known then.
    case quantum
    /// The tempo or the beat is another one.
    case moved
  }

  /// A beat at an instant.
  struct Point: Sendable, Equatable {
    /// The instant, in microseconds of Link's clock.
    var time: Double
    /// The beat, from 0.
    var beat: Double
    /// The tempo in beats per minute.
    var tempo: Double
  }

  /// The largest change of the tempo that is no other one, as a part of it; and that of the beat, in seconds. A bridge
  /// that steers its session changes it by less.
  private static let leastChange = (tempo: 0.003, seconds: 0.004)

  /// The first beat, and the latest.
  private(set) var begin: Point?
  private(set) var latest: Point?

  /// Takes a status of a bridge.
  mutating func take(_ status: JSONObject) throws(Fault) -> Point {
    guard let tempo = status["tempo"]?.number, let phase = status["phase"]?.number,
      let time = status["time_us"]?.number, let quantum = status["quantum"]?.number, tempo > 0
    else { throw .missing }
    guard quantum >= 1, quantum == quantum.rounded() else { throw .quantum }
    guard let latest, let begin else {
      // Far enough from zero that none is negative.
      let point = Point(time: time, beat: phase + quantum * 16, tempo: tempo)
      (begin, latest) = (point, point)
      return point
    }
    let expected = latest.beat + (time - latest.time) / 60e6 * latest.tempo
    let point = Point(
      time: time, beat: phase + ((expected - phase) / quantum).rounded() * quantum, tempo: tempo)
    guard (point.beat - expected).magnitude * 60 / tempo < Self.leastChange.seconds,
      (tempo / begin.tempo - 1).magnitude < Self.leastChange.tempo
    else { throw .moved }
    self.latest = point
    return point
  }
}
