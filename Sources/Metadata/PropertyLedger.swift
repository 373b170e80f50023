import JSON

/// The bridge's properties, as it has written or found them, and the next actions on them.
///
/// JACK notifies a client of its own writing, too, and does not name the writer. So the text that is found is
/// compared with the text that was written: a different one comes from another client, and is a command. The
/// answer to it is written from the status at that time, so that two writers do not trigger each other.
///
/// It is pure: its owner reads and writes.
public struct PropertyLedger: Sendable {
  /// The meaning of a text that another client has written.
  public enum Finding: Sendable, Hashable {
    /// A command, as on standard input; then the property will be `text`.
    case command(String, SharedProperty.Subject, text: String)
    /// Nothing that could be done.
    case wrong
  }

  /// How long after a command the status may differ from it: as long as peers and cycles take.
  public static let patience = Duration.seconds(1)

  private var known: [String: String] = [:]
  private var awaited: [SharedProperty.Subject: (text: String, until: ContinuousClock.Instant)] = [:]

  /// A ledger of nothing.
  public init() {}

  /// A new life of the server has begun: properties from before are those of others, and no commands.
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

  /// An accepted command will change the status: until then the old value is not written over it.
  public mutating func accepted(
    _ subject: SharedProperty.Subject, text: String, at now: ContinuousClock.Instant
  ) {
    awaited[subject] = (text, now + Self.patience)
  }

  /// The properties to write, from a status.
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
