import JSON

/// The dashboard's knowledge of a bridge.
struct Dashboard: Sendable {
  /// How the bridge can be reached.
  enum Contact: Sendable, Equatable {
    /// It answers.
    case answers
    /// It has not answered for so many seconds.
    case silent(Double)
    /// It has gone, and is waited for.
    case gone
  }

  /// The name of the bridge.
  var name: String
  var contact = Contact.answers
  /// Its last status.
  private(set) var status: JSONObject = [:]
  private(set) var errors = PhaseErrorHistory()
  /// The addresses of other peers in its session, as far as they are known.
  var peerAddresses: [String] = []
  /// The events, the newest last.
  private(set) var events: [String] = []
  /// Its reply to the last key.
  var reply: String?
  var showsHelp = false

  private static let mostEvents = 100

  init(name: String) { self.name = name }

  /// The bridge has said how it stands.
  mutating func take(status: JSONObject) {
    // JACK reports some times a second: the same report is no new sample.
    if status["time_us"] == nil || status["time_us"] != self.status["time_us"],
      let error = status["phase_error_us"]?.number
    {
      errors.take(error)
    }
    self.status = status
  }

  /// Something has happened.
  mutating func take(event: String) {
    events.append(event)
    if events.count > Self.mostEvents { events.removeFirst() }
  }

  /// Link's position in the quantum at an instant of Link's host time, in beats, from 0; `nil` as long as there
  /// is none.
  func phase(at microseconds: Double) -> Double? {
    guard let phase = status["phase"]?.number, let quantum = status["quantum"]?.number, quantum > 0 else {
      return nil
    }
    let now = phase + beats(until: microseconds)
    let rest = now.truncatingRemainder(dividingBy: quantum)
    return rest < 0 ? rest + quantum : rest
  }

  /// The beats until a start that waits, negative; `nil` where none does.
  func countIn(at microseconds: Double) -> Double? {
    status["count_in"]?.number.map { min(0, $0 + beats(until: microseconds)) }
  }

  /// Bar, beat and the share of the beat that has gone, as JACK clients read them; `nil` where they do not.
  ///
  /// It goes on between two reports where it is the bridge who counts: how another program does, it alone knows.
  func position(at microseconds: Double) -> (bar: Double, beat: Double, fraction: Double)? {
    guard let bar = status["bar"]?.number, let beat = status["beat"]?.number,
      let tick = status["tick"]?.number,
      let ticks = status["ticks_per_beat"]?.number, ticks > 0
    else { return nil }
    let fraction = min(max(0, tick / ticks), 1)
    let meter = (status["meter"]?.string ?? "").split(separator: "/").compactMap { Double($0) }
    guard meter.count == 2, meter[0] >= 1, meter[1] >= 1, status["transport"] == "rolling",
      status["timebase"] == "bridge", status["rendering"] != true
    else { return (bar, beat, fraction) }
    let beats =
      (bar - 1) * meter[0] + beat - 1 + tick / ticks + self.beats(until: microseconds) * meter[1] / 4
    let whole = beats.rounded(.down)
    let bars = (whole / meter[0]).rounded(.down)
    return (bars + 1, whole - bars * meter[0] + 1, beats - whole)
  }

  /// Link's beats from when the status was true until an instant; 0 where that is not known, and no more than
  /// two seconds' worth: a bridge that says nothing stands still.
  private func beats(until microseconds: Double) -> Double {
    guard let then = status["time_us"]?.number, let tempo = status["tempo"]?.number else { return 0 }
    return min(max(microseconds - then, -2e6), 2e6) * tempo / 60e6
  }
}
