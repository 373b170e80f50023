/// Finds out whether Ardour's tempo map is one tempo in quarter notes from beginning to end. Pure.
///
/// The surface tells the tempo of the first marker, and the playhead both in seconds and in ticks. With one tempo
/// each follows from the other. Behind another marker, on a ramp, or with a tempo in other notes, it does not.
struct TempoMapWatch: Sendable {
  /// The ticks that are compared: of a sixteenth note, so that it is the same in any meter up to 16ths.
  private static let grid = ArdourMessage.ticksPerQuarter / 4
  /// By how many ticks an exact place may be off, as both are rounded.
  private static let rounding = 3.0
  /// How many contradictions more than a third of the agreements prove another tempo.
  private static let proof = 6
  /// How long a place at rest has to contradict the tempo.
  private static let patience = Duration.milliseconds(600)

  /// Whether the map is not one tempo.
  private(set) var isMixed = false
  private var time: Double?
  private var score = 0
  private var mismatch: (since: Duration, time: Double)?
  /// The first place that has contradicted the tempo.
  private var edge = Double.infinity
  private var agreements = 0

  /// Whether a contradiction is being looked into.
  var isInDoubt: Bool { !isMixed && mismatch != nil }

  /// When a place at rest is to be taken for a contradiction; `nil` for never.
  var dueTime: Duration? { isInDoubt ? mismatch.map { $0.since + Self.patience } : nil }

  /// The tempo is another: what came before says nothing about it.
  mutating func tempoChanged() {
    (score, mismatch, agreements) = (0, nil, 0)
  }

  /// The playhead is so many seconds from the beginning.
  mutating func moved(to time: Double) { self.time = time }

  /// The playhead is so many ticks behind its beat.
  mutating func moved(toTick tick: Int, tempo: Double, at now: Duration) {
    guard let time, time >= 0 else { return }
    let ticks = time * tempo / 60 * ArdourMessage.ticksPerQuarter
    // A time has six digits.
    var unit = 1e-6
    while unit * 1e6 <= time { unit *= 10 }
    let tolerance = unit * tempo / 60 * ArdourMessage.ticksPerQuarter + Self.rounding
    guard tolerance < Self.grid / 8 else { return }
    let distance = (ticks - Double(tick)).remainder(dividingBy: Self.grid).magnitude
    if distance <= tolerance { agreed(at: time) } else { contradicted(at: time, now) }
  }

  /// Time has passed.
  mutating func timePassed(at now: Duration) {
    guard let due = dueTime, let mismatch, now >= due else { return }
    prove(mismatch.time)
  }

  private mutating func agreed(at time: Double) {
    mismatch = nil
    score = max(0, score - 3)
    guard isMixed, time >= edge else { return }
    agreements += 1
    // By chance one in twenty agrees.
    if agreements >= Self.proof { (isMixed, edge, score) = (false, .infinity, 0) }
  }

  private mutating func contradicted(at time: Double, _ now: Duration) {
    agreements = 0
    mismatch = (now, time)
    guard !isMixed else {
      edge = min(edge, time)
      return
    }
    score += 1
    if score >= Self.proof { prove(time) }
  }

  private mutating func prove(_ time: Double) {
    isMixed = true
    edge = min(edge, time)
    (score, agreements) = (0, 0)
  }
}
