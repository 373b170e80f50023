import JSON
import Words

/// The action of a key on the dashboard.
enum DashboardAction: Sendable, Equatable {
  /// Tell the bridge, in the words of its standard input.
  case tell(String)
  /// Show the keys, or no longer.
  case toggleHelp
  /// End.
  case leave

  /// The keys, and what each does, as people read it.
  static let keys = [
    ("space", "start or stop"), ("+ -", "tempo, by 1 bpm"), ("t", "tap the tempo"),
    ("< >", "offset, by 1 ms"), ("q Q", "quantum, by a beat"), ("d", "downbeat: this is the one"),
    ("[ ]", "downbeat, by a beat"), ("m", "leader: auto, link, jack"), ("0", "to the beginning"),
    ("?", "show the keys"), ("Esc, Ctrl-C", "leave"),
  ]

  /// The action of `key` while the bridge stands as `status` says; `nil` for none.
  @inline(never) init?(_ key: Key, _ status: JSONObject) {
    switch key {
    case .escape: self = .leave
    case .up: self = .tell("tempo +1")
    case .down: self = .tell("tempo -1")
    case .character(let character):
      switch character {
      case " ":
        self = .tell(status["transport"] == "stopped" || status["transport"] == nil ? "start" : "stop")
      case "+", "=": self = .tell("tempo +1")
      case "-", "_": self = .tell("tempo -1")
      case "t": self = .tell("tempo tap")
      case "<", ",": self = .tell("offset \(Self.offset(status, by: -1))")
      case ">", ".": self = .tell("offset \(Self.offset(status, by: 1))")
      case "q": self = .tell("quantum \(Self.quantum(status, by: -1))")
      case "Q": self = .tell("quantum \(Self.quantum(status, by: 1))")
      case "d": self = .tell("downbeat now")
      case "[": self = .tell("downbeat -1")
      case "]": self = .tell("downbeat +1")
      case "m": self = .tell("mode \(Self.nextMode(status))")
      case "0": self = .tell("rewind")
      case "?", "h": self = .toggleHelp
      default: return nil
      }
    }
  }

  private static func offset(_ status: JSONObject, by step: Double) -> String {
    let offset = (status["offset_ms"]?.number ?? 0) + step
    return "\(offset < 0 ? "" : "+")\(Self.short(offset))ms"
  }

  private static func quantum(_ status: JSONObject, by step: Double) -> String {
    let quantum = status["next_quantum"]?.number ?? status["quantum"]?.number ?? 4
    return Self.short(max(1, quantum + step))
  }

  /// A number without digits after the point that say nothing.
  private static func short(_ number: Double) -> String {
    let text = number.formatted(decimals: 3)
    guard text.contains(".") else { return text }
    let digits = text.reversed().drop { $0 == "0" }
    return String((digits.first == "." ? digits.dropFirst() : digits).reversed())
  }

  private static func nextMode(_ status: JSONObject) -> String {
    switch status["mode"]?.string {
    case "auto": "link"
    case "link": "jack"
    default: "auto"
    }
  }
}
