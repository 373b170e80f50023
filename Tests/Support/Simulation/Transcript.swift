import MusicalTime
import Reconciliation

/// Everything that JACK's clients, the session's peers and the user notice in a history: a line each, in the order of
/// time.
///
///     > 12.003 s  JACK rolls from frame 48000, reads 1|1|0, Link is at 4
///
/// A transcript says nothing about right and wrong: the laws do. It shows that something has changed where all laws
/// hold, so that a change of the program that was not meant is detected, and one that was meant is read.
public struct Transcript: Sendable, Equatable {
  /// One thing that is noticed in a cycle.
  public struct Line: Sendable, Equatable {
    /// From the beginning of the history, in whole milliseconds, rounded up: never before the event that it comes from.
    public var time: HostInterval
    /// In words.
    public var words: String

    init(at time: HostInterval, _ words: String) {
      self.time = HostInterval(nanoseconds: (time.nanoseconds + 999_999) / 1_000_000 * 1_000_000)
      self.words = words
    }
  }

  /// All lines.
  public var lines: [Line]

  /// A transcript of these lines.
  public init(_ lines: [Line] = []) { self.lines = lines }

  /// The transcript of a history, up to the first violation of a law.
  public init(of history: History) {
    let simulation = Simulation(history)
    simulation.transcriber = Transcriber()
    _ = simulation.run()
    self = simulation.transcriber?.transcript ?? Transcript()
  }

  /// The first line that another transcript does not have in its place, for messages; `nil` where both are the same.
  public func difference(from other: Transcript) -> String? {
    let index = (0..<max(lines.count, other.lines.count)).first { line($0) != other.line($0) }
    guard let index else { return nil }
    return "\(line(index)?.text ?? "nothing more"), in place of: \(other.line(index)?.text ?? "nothing more")"
  }

  private func line(_ index: Int) -> Line? { index < lines.count ? lines[index] : nil }

  /// The text of a history with this transcript in place of the one that it has: each line before the first event that
  /// comes after it.
  public func written(into text: String) -> String {
    var left = lines[...]
    var written: [Substring] = []
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) where !line.hasPrefix(">") {
      if line.hasSuffix("  end") {
        written += left.map { Substring($0.text) }
      } else if let time = line.firstRange(of: " s  ").flatMap({
        Notation.seconds.read(line[..<$0.lowerBound].drop { $0 == " " } + " s")
      }) {
        while let first = left.first, first.time < time { written.append(Substring(left.removeFirst().text)) }
      }
      written.append(line)
    }
    return written.joined(separator: "\n")
  }
}

/// Writes down what is noticed of each cycle.
struct Transcriber {
  /// All that was noticed so far.
  private(set) var transcript = Transcript()
  /// The last cycle.
  private var shown: Shown?
  /// Whether the last line has the session's tempo, and how often that has changed since.
  private var hasTempo = false
  private var changes = 0

  /// All that can be noticed at the end of a cycle.
  private struct Shown {
    let time: HostInterval
    let start: HostTime<LinkClock>
    let motion: TransportState
    let frame: TransportFrame
    let reading: TimebaseReading
    let owner: TimebaseOwner
    let leader: Leader
    let isPlaying: Bool
    let tempo: Tempo
    let beat: BeatTime

    init(_ world: Simulation) {
      (time, start) = (world.elapsed, world.card.time)
      (motion, frame, reading) = (world.engine.motion, world.engine.frame, world.reading)
      (owner, leader) = (world.owner, world.bridge.reconciler.leader)
      (isPlaying, tempo) = (world.session.play.isPlaying, world.session.timeline.tempo)
      beat = world.session.beat(at: start + world.latency)
    }

    var isRolling: Bool { motion == .rolling }
    /// Where JACK's clients and Link are.
    var position: String {
      let read = reading.isValid ? "\(reading.bar)|\(reading.beat)|\(reading.tick)" : "nothing"
      return "reads \(read), Link is at \(Transcriber.decimal(beat.sinceZero.doubleValue))"
    }
  }

  /// Takes note of a cycle.
  mutating func note(_ world: Simulation) {
    let now = Shown(world)
    let before = shown
    shown = now
    guard let before else { return }
    if now.motion != before.motion {
      add("JACK \(now.isRolling ? "rolls from" : "is \(now.motion) at") frame \(now.frame), \(now.position)")
    } else if now.frame != before.frame, now.frame != before.frame + world.engine.period {
      add("JACK goes to frame \(now.frame), \(now.position)")
    }
    if now.tempo != before.tempo {
      noteTempo()
    } else {
      let moved = now.beat - (before.beat + now.tempo.beats(in: now.start - before.start))
      if moved.magnitude > Transcriber.leastMove {
        add("the session's beat moves by \(Transcriber.decimal(moved.doubleValue))")
      }
    }
    if now.isPlaying != before.isPlaying { add("the session \(now.isPlaying ? "plays" : "stops")") }
    if now.owner != before.owner { add("the timebase is \(now.owner.words)") }
    if now.leader != before.leader { add("\(now.leader.words) leads") }
    guard world.record.lastRun == world.now else { return }
    for notice in world.lastDecision.notices + world.bridge.reports { add("notice: \(notice.words)") }
  }

  /// The first of some changes has a line at once, and the last with the line that follows.
  private mutating func noteTempo() {
    if hasTempo { changes += 1 } else { addTempo("the session's tempo is") }
  }

  /// Takes note of where JACK and Link are, before something happens, and at the end.
  mutating func pause() {
    guard let shown, shown.isRolling || changes > 0 else { return }
    add("JACK is \(shown.motion), \(shown.position)")
  }

  private mutating func add(_ words: String) {
    guard let shown else { return }
    if changes > 0 { addTempo("after \(changes) more changes the session's tempo is") }
    (changes, hasTempo) = (0, false)
    transcript.lines.append(Transcript.Line(at: shown.time, words))
  }

  private mutating func addTempo(_ words: String) {
    guard let shown else { return }
    hasTempo = true
    transcript.lines.append(
      Transcript.Line(at: shown.time, "\(words) \(Transcriber.decimal(shown.tempo.beatsPerMinute)) bpm"))
  }

  /// The least move of the session's beat that is one: clocks that are measured anew move it by less.
  private static var leastMove: Beats { Beats(nanobeats: 20_000_000) }

  /// A number with four decimals.
  private static func decimal(_ number: Double) -> String {
    Notation<Int64>.decimal(digits: 4).write(Int64((number * 1e4).rounded()))
  }
}

extension Transcript.Line {
  /// As it stands in a history's text.
  var text: String { "> \(Notation.seconds.write(time))  \(words)" }

  /// The line of a text.
  init(text: Substring) throws {
    guard text.hasPrefix("> "), let end = text.firstRange(of: " s  ") else {
      throw Unreadable("a line of the transcript is \"> 1.5 s  words\"")
    }
    let number = text[..<end.lowerBound].dropFirst(2).drop { $0 == " " }
    time = try Notation.seconds.value(number + " s")
    words = String(text[end.upperBound...])
  }
}

extension TimebaseOwner {
  fileprivate var words: String {
    switch self {
    case .nobody: "free"
    case .me: "the bridge's"
    case .other: "another client's"
    }
  }
}

extension Leader {
  fileprivate var words: String {
    switch self {
    case .link: "Link"
    case .jack: "JACK"
    case .neither: "neither"
    }
  }
}

extension Notice {
  /// As the source has it, without names of modules, and with three decimals at most.
  fileprivate var words: String {
    let text =
      switch self {
      case .transport(let notice): "\(notice)"
      case .grid(let notice): "\(notice)"
      }
    var words = ""
    var decimals = -1
    for character in text.replacing("Reconciliation.", with: "").replacing("MusicalTime.", with: "") {
      decimals = character == "." ? 0 : !character.isNumber ? -1 : decimals < 0 ? -1 : decimals + 1
      if decimals <= 3 { words.append(character) }
    }
    return words
  }
}
