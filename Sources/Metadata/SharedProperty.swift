import JSON
import MusicalTime
import Reconciliation
import Settings
import Words

/// A property of the bridge's JACK client: a value of the status that other clients read, and a command where they
/// write it.
public struct SharedProperty: Sendable {
  /// The content of the property; two properties may have the same.
  public enum Subject: Sendable, Hashable {
    case tempo
    case peers
    case mode
    case startStopSync
    case link
  }

  /// Its name in JACK.
  public let key: String
  /// The type of its text, a MIME type; `nil` for plain text.
  public let type: String?
  /// The content of the property.
  public let subject: Subject

  /// All of them: the bridge's own, and those of x37v's bridges, which other tools know.
  public static let all: [SharedProperty] = [
    SharedProperty("\(own)tempo", decimal, .tempo), SharedProperty("\(own)peers", integer, .peers),
    SharedProperty("\(own)mode", nil, .mode),
    SharedProperty("\(own)start-stop-sync", boolean, .startStopSync),
    SharedProperty("\(x37v)bpm", decimal, .tempo), SharedProperty("\(x37v)linkpeers", integer, .peers),
    SharedProperty("\(x37v)linksync", boolean, .link),
    SharedProperty("\(x37v)link/start-stop-sync", boolean, .startStopSync),
  ]

  private static let own = "http://jackstay.github.io/metadata/"
  private static let x37v = "http://www.x37v.info/jack/metadata/"
  private static let decimal = "https://www.w3.org/2001/XMLSchema#decimal"
  private static let integer = "https://www.w3.org/2001/XMLSchema#integer"
  private static let boolean = "https://www.w3.org/2001/XMLSchema#boolean"

  private init(_ key: String, _ type: String?, _ subject: Subject) {
    (self.key, self.type, self.subject) = (key, type, subject)
  }

  /// The text from a status; `nil` where the status has none.
  public func text(in status: JSONObject) -> String? {
    switch subject {
    case .tempo: status["tempo"]?.number.flatMap { Tempo(beatsPerMinute: $0) }.map { Self.text(of: $0) }
    case .peers: status["peers"]?.number.flatMap(Int.init(exactly:)).map { "\($0)" }
    case .mode: status["mode"]?.string
    case .startStopSync: status["start_stop_sync"]?.boolean.map { "\($0)" }
    case .link: status["link"]?.boolean.map { "\($0)" }
    }
  }

  /// The text as ``text(in:)`` would write it; `nil` where it is invalid, or the property is read-only.
  public func wanted(by text: String) -> String? {
    guard let line = command(for: text), let instruction = try? Instruction(line: line) else { return nil }
    switch instruction {
    case .command(.proposeTempo(let tempo)): return Self.text(of: tempo)
    case .choose(.mode(let mode)): return mode.rawValue
    case .choose(.startStopSync(let sharing)): return "\(sharing != .off)"
    case .link(let isOn): return "\(isOn)"
    default: return nil
    }
  }

  /// The command of a text that is written here, as on standard input; `nil` where the property is read-only,
  /// or the text is more than a word.
  public func command(for text: String) -> String? {
    guard !text.isEmpty, text.utf8.count <= Self.longest, !text.contains(where: \.isWhitespace) else {
      return nil
    }
    switch subject {
    // A sign would make it a step, which depends on the value before.
    case .tempo: return text.first?.isNumber == true ? "tempo \(text)" : nil
    case .peers: return nil
    case .mode: return "mode \(text)"
    case .startStopSync: return Self.switched(text).map { "start-stop-sync \($0)" }
    case .link: return Self.switched(text).map { "link \($0)" }
    }
  }

  /// More than any value needs, in bytes.
  private static let longest = 64

  /// To a thousandth of a bpm: steering changes the tempo by less, which is not worth a notification.
  private static func text(of tempo: Tempo) -> String { tempo.beatsPerMinute.formatted(decimals: 3) }

  private static func switched(_ text: String) -> String? {
    switch text {
    case "true", "1", "on": "on"
    case "false", "0", "off": "off"
    default: nil
    }
  }
}
