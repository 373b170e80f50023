import JSON
import Settings
import Testing

@testable import Metadata

/// A ledger that expectations may ask.
private final class Book {
  private var ledger = PropertyLedger()

  func found(_ texts: [String: String]) -> [PropertyLedger.Finding] { ledger.found(texts) }
  func due(_ status: JSONObject, at now: ContinuousClock.Instant) -> [(
    property: SharedProperty, text: String
  )] {
    ledger.due(status, at: now)
  }
  func accepted(_ subject: SharedProperty.Subject, text: String, at now: ContinuousClock.Instant) {
    ledger.accepted(subject, text: text, at: now)
  }
  func wrote(_ text: String, to property: SharedProperty) { ledger.wrote(text, to: property) }
  func serverChanged() { ledger.serverChanged() }
}

@Suite struct PropertyLedgerTests {
  private static let own = "http://jackstay.github.io/metadata/"
  private static let x37v = "http://www.x37v.info/jack/metadata/"
  private let start = ContinuousClock.now
  private let status: JSONObject = [
    "tempo": 126.000126, "peers": 2, "mode": "auto", "start_stop_sync": true, "link": true,
  ]

  /// A ledger that has written all properties, with their texts.
  private func written() -> (ledger: Book, texts: [String: String]) {
    let ledger = Book()
    var texts: [String: String] = [:]
    for (property, text) in ledger.due(status, at: start) {
      ledger.wrote(text, to: property)
      texts[property.key] = text
    }
    return (ledger, texts)
  }

  @Test func `All values are written, by the bridge's own names and by those of others, and then stay`() {
    let (ledger, texts) = written()
    #expect(
      texts == [
        "\(Self.own)tempo": "126.000", "\(Self.own)peers": "2", "\(Self.own)mode": "auto",
        "\(Self.own)start-stop-sync": "true", "\(Self.x37v)bpm": "126.000", "\(Self.x37v)linkpeers": "2",
        "\(Self.x37v)linksync": "true", "\(Self.x37v)link/start-stop-sync": "true",
      ])
    #expect(ledger.due(status, at: start).isEmpty)
    #expect(ledger.found(texts).isEmpty, "what we have written ourselves is no command")
    #expect(ledger.due(["mode": "auto"], at: start).isEmpty, "what is not known is left")
    let changed = ledger.due(status.adding(["tempo": 126.0004]), at: start)
    #expect(changed.isEmpty, "less than a thousandth is not told")
    #expect(ledger.due(status.adding(["peers": 3]), at: start).map(\.text) == ["3", "3"])
  }

  @Test(arguments: [
    ("tempo", "130", "tempo 130", "130.000"), ("tempo", "96.5", "tempo 96.5", "96.500"),
    ("mode", "link", "mode link", "link"), ("start-stop-sync", "false", "start-stop-sync off", "false"),
    ("start-stop-sync", "0", "start-stop-sync off", "false"),
  ])
  func `Another client's write is a command, once`(name: String, text: String, line: String, result: String)
    throws
  {
    var (ledger, texts) = written()
    texts["\(Self.own)\(name)"] = text
    let findings = ledger.found(texts)
    guard case .command(line, let subject, text: result) = try #require(findings.first) else {
      Issue.record("\(findings)")
      return
    }
    #expect(findings.count == 1)
    #expect(ledger.found(texts).isEmpty)
    ledger.accepted(subject, text: result, at: start)
    #expect(ledger.due(status, at: start).isEmpty, "it is not so yet, and is not written over")
    #expect(!ledger.due(status, at: start + PropertyLedger.patience).isEmpty, "nothing has come of it")
  }

  @Test func `Those of other tools are commands, too, and both names follow`() {
    var (ledger, texts) = written()
    texts["\(Self.x37v)bpm"] = "150.0"
    texts["\(Self.x37v)linksync"] = "false"
    texts["\(Self.x37v)link/start-stop-sync"] = "1"
    #expect(
      ledger.found(texts) == [
        .command("tempo 150.0", .tempo, text: "150.000"), .command("link off", .link, text: "false"),
        .command("start-stop-sync on", .startStopSync, text: "true"),
      ])
    ledger.accepted(.tempo, text: "150.000", at: start)
    ledger.accepted(.link, text: "false", at: start)
    let due = ledger.due(status.adding(["tempo": 150.0001, "link": false]), at: start)
    #expect(due.map(\.property.key) == ["\(Self.own)tempo"], "what says the same in other words is left")
    #expect(due.first?.text == "150.000")
  }

  @Test func `A bad write, or one to a read-only property, is counted, and the property is restored`() {
    for (name, text) in [
      ("tempo", "nan"), ("tempo", "inf"), ("tempo", "1000"), ("tempo", "19.9"), ("tempo", "+1"),
      ("tempo", "-5"),
      ("tempo", "tap"), ("tempo", ""), ("tempo", "120 bpm"), ("tempo", "1e2"), ("tempo", "١٢٠"),
      ("tempo", String(repeating: "9", count: 100_000)), ("peers", "7"), ("mode", "AUTO"),
      ("mode", "auto\nstop"),
      ("start-stop-sync", "maybe"), ("start-stop-sync", "2"),
    ] {
      var (ledger, texts) = written()
      let truth = texts["\(Self.own)\(name)"]
      texts["\(Self.own)\(name)"] = text
      #expect(ledger.found(texts) == [.wrong], "\(name) \(text.prefix(20))")
      #expect(ledger.found(texts).isEmpty)
      let due = ledger.due(status, at: start)
      #expect(due.map(\.property.key) == ["\(Self.own)\(name)"] && due.first?.text == truth, "\(name)")
    }
  }

  @Test func `A property that is removed comes back, and one from before the bridge is no command`() {
    var (ledger, texts) = written()
    texts["\(Self.own)mode"] = nil
    #expect(ledger.found(texts).isEmpty)
    #expect(ledger.due(status, at: start).map(\.text) == ["auto"])
    ledger.serverChanged()
    #expect(ledger.found(["\(Self.own)tempo": "66", "\(Self.x37v)bpm": "66"]).isEmpty)
    #expect(ledger.due(status, at: start).count == SharedProperty.all.count)
  }

  @Test func `Each name is an absolute one, and its own`() {
    #expect(Set(SharedProperty.all.map(\.key)).count == SharedProperty.all.count)
    #expect(SharedProperty.all.allSatisfy { $0.key.hasPrefix("http://") })
    for property in SharedProperty.all { #expect(property.text(in: [:]) == nil) }
  }
}
