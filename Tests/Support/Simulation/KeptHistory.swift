import MusicalTime

/// A history as a text that people read and write: its title, how the world is where it is not as usual, and
/// what happens.
///
///     A start that is repeated while it is held goes back to where it rested, when it is cancelled
///
///     seed: 3038
///     server: PipeWire 1.4.2
///     tempo: 174.5 bpm
///
///     541.990 s  client starts
///     > 541.991 s  JACK is starting at frame 0, reads 1|1|0, Link is at 1571.3104
///     546.873 s  client starts
///     549.360 s  client stops
///     549.371 s  end
///
/// ``Setup`` and ``Event`` list what can be written. A number is written with all of its digits: the text and the
/// history are the same. An event that is written after a later one happens when that one has happened. A line that
/// begins with `>` belongs to the history's ``Transcript``.
public struct KeptHistory: Sendable, Equatable {
  /// The subject of the history, in a sentence.
  public var title: String
  /// All that happens.
  public var history: History
  /// The deliberate mistake with which the history breaks ``law``.
  public var fault: Fault?
  /// The law that does not hold: with the ``fault``, or without one where the program is known to break it.
  public var law: Law?
  /// All that is noticed of it, without the ``fault``; empty where it has not been recorded.
  public var transcript = Transcript()

  /// A history with its title.
  public init(title: String, history: History, fault: Fault? = nil, law: Law? = nil) {
    self.title = title
    self.history = history
    self.fault = fault
    self.law = law
  }

  /// The history of a text.
  ///
  /// - Throws: a ``HistoryError`` with the first line that cannot be read.
  public init(text: String, file: String) throws {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    self.init(title: String(lines[0]), history: History(Setup(), [], duration: .zero))
    var reader = Reader(kept: self)
    var number = 1
    do {
      guard !title.isEmpty, title == String(trimmed(lines[0])) else {
        throw Unreadable("a history begins with its title")
      }
      for line in lines.dropFirst() {
        number += 1
        try reader.read(trimmed(line))
      }
      try reader.finish()
    } catch let error as Unreadable {
      throw HistoryError(file: file, line: number, problem: error.problem)
    }
    self = reader.kept
  }

  /// The text that is read as this history.
  public var text: String {
    var head = fault.map { ["fault: \($0)"] } ?? []
    if let law { head.append("breaks: \(law)") }
    head += Setup.fields.compactMap { field in
      field.text(history.setup).map { "\(field.name): \($0)" }
    }
    let times = history.events.map(\.time) + [history.duration]
    let words = history.events.map(\.event.text) + ["end"]
    let width = times.map { Notation.seconds.write($0).count }.max() ?? 0
    let events = zip(times, words).map { time, words in
      let time = Notation.seconds.write(time)
      return String(repeating: " ", count: width - time.count) + "\(time)  \(words)"
    }
    return transcript.written(into: ([title, ""] + head + [""] + events).joined(separator: "\n") + "\n")
  }

  /// The text that has been read so far.
  private struct Reader {
    var kept: KeptHistory
    /// The names of the world's settings that have been read; each stands once at most.
    private var names: Set<Substring> = []
    private var hasEnded = false

    init(kept: KeptHistory) { self.kept = kept }

    mutating func read(_ line: Substring) throws {
      guard let first = line.first else { return }
      if hasEnded { throw Unreadable("this comes after the end") }
      if first == ">" { return kept.transcript.lines.append(try Transcript.Line(text: line)) }
      // Events have times.
      if first.isNumber { return try readEvent(line) }
      guard let colon = line.firstRange(of: ": ") else {
        throw Unreadable("this is neither \"name: value\" nor \"1.5 s  event\"")
      }
      let name = line[..<colon.lowerBound]
      let value = trimmed(line[colon.upperBound...])
      guard names.insert(name).inserted else { throw Unreadable("\(name) has been said before") }
      guard kept.history.events.isEmpty else { throw Unreadable("\(name) belongs before the events") }
      switch name {
      case "fault": kept.fault = try Notation.cases("a deliberate mistake").value(value)
      case "breaks": kept.law = try Notation.cases("a law").value(value)
      default:
        guard let field = Setup.fields.first(where: { $0.name == name }) else {
          let known = Setup.fields.map(\.name).joined(separator: ", ")
          throw Unreadable("there is no \"\(name)\" among: fault, breaks, \(known)")
        }
        try field.read(value, &kept.history.setup)
      }
    }

    private mutating func readEvent(_ line: Substring) throws {
      guard let end = line.firstRange(of: " s ") else { throw Unreadable("an event is \"1.5 s  event\"") }
      let time = try Notation.seconds.value(line[..<end.lowerBound] + " s")
      let words = trimmed(line[end.upperBound...])
      if words == "end" {
        kept.history.duration = time
        hasEnded = true
      } else {
        kept.history.events.append(TimedEvent(time: time, event: try Event(text: words)))
      }
    }

    func finish() throws {
      guard hasEnded else { throw Unreadable("a history ends with \"9.5 s  end\"") }
      guard kept.fault == nil || kept.law != nil else {
        throw Unreadable("the fault needs the law that it breaks: \"breaks: law\"")
      }
    }
  }
}

extension History {
  /// The history as a text that can be kept.
  public var text: String { KeptHistory(title: "A history that has no title yet", history: self).text }
}

/// A line that is no part of a history.
public struct HistoryError: Error, CustomStringConvertible {
  /// The file, and the number of the line in it, counted from 1.
  public let file: String, line: Int
  /// The problem with it.
  public let problem: String

  /// One line.
  public var description: String { "\(file):\(line): \(problem)" }
}

/// A text without the spaces around it.
private func trimmed(_ text: Substring) -> Substring {
  var text = text.drop { $0 == " " }
  while text.last == " " || text.last == "\r" { text.removeLast() }
  return text
}
