/// When chirps are due, cycle by cycle: half a beat after those beats of which ``Recording/isChirped(_:)`` says so.
///
/// Beats are counted from the first one that begins after the first cycle.
public struct ChirpSchedule: Sendable {
  /// The events of a cycle, in frames from the cycle's first one on.
  public struct Events: Sendable, BitwiseCopyable {
    /// The beat that begins, and where: before the cycle by a little, if it was not in the one before.
    public var beat: (number: Int, offset: Double)?
    /// The beat that a chirp follows which is to begin, and with which frame.
    public var chirp: (number: Int, offset: Int)?
  }

  /// How many beats late something may begin: two cycles do not end and begin at quite the same beat.
  private static var late: Double { @_noLocks get { 0.05 } }

  private var first: Int?
  private var lastBeat = -1
  private var lastChirp = -1

  /// A schedule that has not begun.
  public init() {}

  /// Takes a cycle. Realtime-safe.
  ///
  /// - Parameters:
  ///   - beats: The session's beat at the first frame, and at that of the next cycle: at least 0, and less than one
  ///     beat apart.
  ///   - heard: The same when these frames are heard.
  ///   - period: The number of frames.
  /// - Returns: The events.
  @_noLocks
  public mutating func cycle(
    beats: (start: Double, end: Double), heard: (start: Double, end: Double), period: UInt32
  ) -> Events {
    var events = Events(beat: nil, chirp: nil)
    guard let first else {
      self.first = Int(beats.start) &+ 1
      return events
    }
    let beat = Int(beats.end)
    if beats.start - ChirpSchedule.late < Double(beat), beat &- first > lastBeat, beats.end > beats.start {
      lastBeat = beat &- first
      events.beat = (
        lastBeat, (Double(beat) - beats.start) / (beats.end - beats.start) * Double(period)
      )
    }
    let half = Int(heard.end - 0.5)
    let number = half &- first
    if heard.start - 0.5 - ChirpSchedule.late < Double(half), number > lastChirp, heard.end > heard.start {
      let offset = (Double(half) + 0.5 - heard.start) / (heard.end - heard.start) * Double(period)
      lastChirp = number
      if Recording.isChirped(number) { events.chirp = (number, offset > 0 ? Int(offset) : 0) }
    }
    return events
  }
}
