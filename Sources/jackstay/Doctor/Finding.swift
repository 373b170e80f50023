import JSON

/// The doctor's judgement of one thing that it has looked at.
struct Finding: Sendable, Equatable {
  /// How it stands with that.
  enum Level: String, Sendable {
    /// All is well.
    case ok
    /// Worth knowing, and nothing to correct.
    case note
    /// It works, and something can be better.
    case warning
    /// Something cannot work as it is.
    case fault
    /// Not to be known from here.
    case unknown
  }

  /// The name of the check.
  let check: String
  let level: Level
  /// The result of the check.
  let text: String
  /// The remedy, for each warning and each fault, and for these alone.
  let remedy: String?

  init(_ check: String, _ level: Level, _ text: String, remedy: String? = nil) {
    self.check = check
    self.level = level
    self.text = text
    self.remedy = remedy
  }

  /// Whether it is something that is not well.
  var isComplaint: Bool { level == .warning || level == .fault }

  /// The finding as programs read it.
  var object: JSONObject {
    var object: JSONObject = [
      "check": .string(check), "level": .string(level.rawValue), "text": .string(text),
    ]
    object["remedy"] = remedy.map { .string($0) }
    return object
  }

  /// The finding as people read it: a line, and one below it with what to do.
  var lines: [String] {
    let head = level.rawValue + String(repeating: " ", count: 9 - level.rawValue.count)
    let name = check + String(repeating: " ", count: max(1, 12 - check.count))
    let advice = remedy.map { [String(repeating: " ", count: 21) + "-> " + LogLines.shown($0)] } ?? []
    return [LogLines.shown(head + name + text)] + advice
  }
}
