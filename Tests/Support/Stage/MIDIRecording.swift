/// The MIDI clock as a probe has heard it, and as a follower counts it.
public struct MIDIRecording: Sendable {
  /// A message.
  public struct Message: Sendable {
    /// Its first byte.
    public let status: Int
    /// The 14 bits of the others.
    public let value: Int
    /// The frame that it is at, by JACK's count.
    public let frame: Double
    /// Link's beat there, as it is heard.
    public let linkBeat: Double
    /// Where the position that JACK clients read in the cycle has gone on to there; not a number for none.
    public let jackBeat: Double
    /// How fast that goes on, in beats per minute.
    public let beatsPerMinute: Double
    /// Whether JACK rolls.
    public let isRolling: Bool
    /// How many deadlines JACK had missed.
    public let missed: Int
    /// The number of the clock in its song; nil for a message that is none, or is not counted.
    public var number: Int?
  }

  /// All messages, in order.
  public private(set) var messages: [Message] = []
  /// Messages to the follower that break the rules.
  public private(set) var faults: [String] = []
  /// How many messages were lost on their way, about missed deadlines, at least.
  public private(set) var lost = 0
  private var next = 0
  private var isRunning = false
  /// How many deadlines JACK had missed when the follower was last sure of its messages.
  private var known = 0

  /// MIDI's messages for the transport's states.
  public static let (clock, start, goOn, stop, songPosition) = (0xF8, 0xFA, 0xFB, 0xFC, 0xF2)

  /// The recording among the reports of a probe that hears a port.
  public init(_ reports: [ProbeReport]) {
    for report in reports {
      guard let status = report["midi"], let value = report["value"], let frame = report["clock"] else {
        continue
      }
      var message = Message(
        status: Int(status), value: Int(value), frame: frame, linkBeat: report["link_beat"] ?? .nan,
        jackBeat: report["jack_beat"] ?? .nan, beatsPerMinute: report["bpm"] ?? .nan,
        isRolling: report["rolling"] == 1,
        missed: Int(report["missed"] ?? 0))
      follow(&message)
      // A server that misses deadlines may count a cycle twice.
      if let last = messages.last, frame < last.frame, message.missed == last.missed {
        faults.append("\(message) before the last one")
      }
      messages.append(message)
    }
  }

  private mutating func follow(_ message: inout Message) {
    switch message.status {
    case Self.clock:
      if isRunning {
        message.number = next
        next += 1
      }
    case Self.songPosition:
      expect(!isRunning, "a song position while it runs", message)
      next = message.value * 6
    case Self.start, Self.goOn:
      expect(!isRunning, "a start while it runs", message)
      isRunning = true
      if message.status == Self.start { next = 0 }
    case Self.stop:
      expect(isRunning, "a stop while it rests", message)
      isRunning = false
    default: faults.append("unknown: \(message)")
    }
  }

  /// Records a message that is against the rules; where a deadline was missed since the last one, that one's
  /// successor was lost on its way: a client that is not called in a cycle gets nothing of it.
  private mutating func expect(_ isRight: Bool, _ fault: String, _ message: Message) {
    if !isRight {
      if message.missed == known { faults.append("\(fault): \(message)") } else { lost += 1 }
    }
    known = message.missed
  }

  /// The clocks that a follower counts.
  public var counted: [Message] { messages.filter { $0.number != nil } }
  /// The clocks, counted or not.
  public var clocks: [Message] { messages.filter { $0.status == Self.clock } }
  /// All that is no clock.
  public var words: [Int] { messages.map(\.status).filter { $0 != Self.clock } }

  /// Whether all messages but clocks are a start, and a stop at the end; or, where deadlines were missed,
  /// after which the bridge can correct the transport, also those that continue a song elsewhere.
  public var isOneSong: Bool {
    if messages.last?.missed ?? 0 == 0 { return words == [Self.start, Self.stop] }
    let known = [Self.start, Self.goOn, Self.songPosition, Self.stop]
    return words.first == Self.start && words.last == Self.stop && words.allSatisfy(known.contains)
  }

  /// The exactness of the clocks that are counted.
  public struct Judgement: Sendable {
    /// How many were judged.
    public var clocks = 0
    /// How many were missing, and how many too many.
    public var lost = 0, extra = 0
    /// How far one was at most from where the position comes to it, in frames.
    public var worst = 0.0
    /// That one, between the two before and the two after it.
    public var about: [Message] = []
    /// How much later than Link has them they were, in microseconds; where JACK's times can be trusted.
    public var late: [Double] = []
  }

  /// Compares the clocks that are counted with the position that JACK clients read.
  ///
  /// But for those about a missed deadline, in which messages are lost on their way, and for those soon after
  /// a start or a change of the tempo: what these have put off is made up for.
  ///
  /// - Parameter ticks: By how many ticks, of which there are 1920 in a beat, the position may be off as it is read.
  /// - Returns: The judgement.
  public func judged(ticks: Double = 0) -> Judgement {
    var judgement = Judgement()
    // How many clocks the count is behind: none, until messages are lost on their way.
    var behind: Int? = 0
    var changed = -Double.infinity
    var missed = -Double.infinity
    for (index, message) in messages.enumerated() {
      let before = index > 0 ? messages[index - 1] : message
      if message.beatsPerMinute != before.beatsPerMinute || message.number == nil { changed = message.frame }
      if message.missed != before.missed { (missed, behind) = (message.frame, nil) }
      if message.number == nil { behind = 0 }
      guard let late = message.clocksLate, message.frame - changed > 24_000, message.frame - missed > 48_000,
        !isDisturbed(soonAfter: index)
      else { continue }
      let whole = late.rounded()
      let count = Int(whole)
      let known = behind ?? count
      judgement.lost += max(0, count - known)
      judgement.extra += max(0, known - count)
      behind = count
      judgement.clocks += 1
      let distance = abs(late - whole) * message.framesPerClock - ticks * message.framesPerClock * 24 / 1920
      if distance > judgement.worst {
        judgement.worst = distance
        judgement.about = Array(messages[max(0, index - 2)..<min(messages.count, index + 3)])
      }
      if message.frame - missed > 480_000 { judgement.late.append(message.late) }
    }
    return judgement
  }

  /// Each clock with the next one, but for those about a missed deadline, where JACK counts frames that its
  /// transport does not.
  ///
  /// - Parameter first: The index of the first message that counts.
  /// - Returns: The pairs, in order.
  public func undisturbedNeighbours(from first: Int = 0) -> [(clock: Message, next: Message)] {
    let clocks = messages.indices.filter { $0 >= first && messages[$0].status == Self.clock }
    return zip(clocks, clocks.dropFirst()).compactMap { index, next in
      let isUndisturbed = messages[index].missed == messages[next].missed && !isDisturbed(soonAfter: index)
      return isUndisturbed ? (messages[index], messages[next]) : nil
    }
  }

  /// Whether a deadline is missed within a tenth of a second, which may have begun before it shows.
  private func isDisturbed(soonAfter index: Int) -> Bool {
    let end = messages[index].frame + 4800
    return messages[index...].prefix { $0.frame < end }.contains { $0.missed != messages[index].missed }
  }
}

extension MIDIRecording.Message {
  /// How many clocks the position is beyond this one's place.
  public var clocksLate: Double? { number.map { jackBeat * 24 - Double($0) } }

  /// How many frames a clock lasts at the tempo that is read.
  public var framesPerClock: Double { 48_000 * 60 / beatsPerMinute / 24 }

  /// How much later than Link has it the clock is, in microseconds, at the tempo that it has.
  public var late: Double {
    let clocks = linkBeat * 24
    return (clocks - clocks.rounded()) / 24 * 60e6 / beatsPerMinute
  }
}
