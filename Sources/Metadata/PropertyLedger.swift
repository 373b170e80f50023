import JSON

/// What the bridge's properties are, as it has written or found them, and what is to be done about that.
///
/// JACK tells a client of its own writing, too, and of nobody's by name. So what is found is compared with what was
/// written: what is another text was written by somebody else, and is a command. What is written thereupon is what
/// the status says then, so nobody answers anybody's answer.
///
/// It is pure: whoever has it reads and writes.
public struct PropertyLedger: Sendable {
  /// What somebody else has written.
  public enum Finding: Sendable, Hashable {
    /// To be done, in the words of standard input; then the property will say `text`.
    case command(String, SharedProperty.Subject, text: String)
    /// Nothing that could be done.
    case wrong
  }

  /// How long after a command the status may say something else: as long as peers and cycles take.
  public static let patience = Duration.seconds(1)

  private var known: [String: String] = [:]
  private var awaited: [SharedProperty.Subject: (text: String, until: ContinuousClock.Instant)] = [:]

  /// A ledger of nothing.
  public init() {}

  /// A new life of the server has begun: what is there is of others before us, and says nothing.
  public mutating func serverChanged() {
    known = [:]
    awaited = [:]
  }

  /// These texts were found, by their keys.
  public mutating func found(_ texts: [String: String]) -> [Finding] {
    var findings: [Finding] = []
    for property in SharedProperty.all {
      guard let before = known[property.key] else { continue }
      let text = texts[property.key]
      known[property.key] = text
      guard let text, text != before else { continue }
      guard let line = property.command(for: text), let wanted = property.wanted(by: text) else {
        findings.append(.wrong)
        continue
      }
      findings.append(.command(line, property.subject, text: wanted))
    }
    return findings
  }

  /// What was asked for is going to be so: until then the old value is not written over it.
  public mutating func accepted(
    _ subject: SharedProperty.Subject, text: String, at now: ContinuousClock.Instant
  ) {
    awaited[subject] = (text, now + Self.patience)
  }

  /// What is to be written, by a status.
  public mutating func due(_ status: JSONObject, at now: ContinuousClock.Instant) -> [(
    property: SharedProperty, text: String
  )] {
    SharedProperty.all.compactMap { property in
      guard let text = property.text(in: status) else { return nil }
      if let wait = awaited[property.subject] {
        guard wait.text == text || now >= wait.until else { return nil }
      }
      guard let known = known[property.key] else { return (property, text) }
      // Another way to write the same is left as it was written.
      return known == text || property.wanted(by: known) == text ? nil : (property, text)
    }
  }

  /// This was written.
  public mutating func wrote(_ text: String, to property: SharedProperty) { known[property.key] = text }
}
