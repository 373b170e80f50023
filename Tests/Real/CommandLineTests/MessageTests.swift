import Foundation
import JACK
import MusicalTime
import Reconciliation
import Testing
import Typechecking

@testable import AbletonLink
@testable import Bridge
@testable import jackstay

/// The messages that people read, against the rule: at most two short sentences, and 160 characters.
@Suite struct MessageTests {
  private static let longest = 160

  private func expectShort(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(text.count <= Self.longest, "\(text.count): \(text)", sourceLocation: sourceLocation)
    #expect(Self.sentences(in: text) <= 2, "\(text)", sourceLocation: sourceLocation)
    #expect(!text.contains(/\b(?:we|ours|our)\b/), "\(text)", sourceLocation: sourceLocation)
  }

  private static func sentences(in text: String) -> Int {
    text.matches(of: /[^.!?\s](?:[.!?]["')]?)(?=\s+[A-Z]|$)/).count
      + (text.hasSuffix(".") || text.hasSuffix("?") ? 0 : 1)
  }

  private static func source(_ path: String) throws -> String {
    try String(contentsOf: Typechecking.packageRoot.appending(path: path), encoding: .utf8)
  }

  /// Every event, each with the longest of what it can carry in everyday life.
  static let events: [BridgeEvent] = {
    let interval = HostInterval.milliseconds(-123.4)
    let errors = JACKErrors.all.flatMap { error -> [BridgeEvent] in
      switch error {
      case .serverNotRunning, .serverUnreachable, .serverFull:
        [.waitingForServer(error), .serverRefuses(error)]
      case .noPort, .portTaken: [.noMIDIClock(error), .noClick(error)]
      default: [.serverRefuses(error)]
      }
    }
    let connected = BridgeEvent.connected(
      .init(clientName: "jackstay-01", requestedName: "jackstay", rate: .standard, bufferSize: 1024))
    let grid: [GridNotice] =
      [FoldedTempo(beatsPerMinute: 10)].compactMap(\.self).map(GridNotice.folded)
      + GridFaultTests.faults.compactMap { reading, _ in
        guard case .fault(let fault) = reading.check() else { return nil }
        return .fault(.reading(fault))
      } + [.fault(.progress(.doesNotMove)), .fault(.progress(.unsteady))]
    return ControlDocumentationTests.events + errors + [connected] + grid.map(BridgeEvent.grid) + [
      .transport(.framesStayOff(by: interval)), .transport(.framesFellBehind(by: interval)),
      .transport(.framesShifted(by: interval)), .transport(.pressIgnored(isPlaying: false)),
      .transport(.launchPostponed(Beats(nanobeats: 1_024_000_000_000))), .standingBy(holder: 4_194_304),
      .serverGone(reason: "JACK server has been closed"),
      .outputConvention(
        .init(of: ["ardour", "mixbus", "klick", "hydrogen"], compensating: ["ardour", "mixbus"])),
      .outputConvention(.init(of: ["ardour", "klick", "hydrogen"], compensating: ["ardour"])),
      .chosen(.launch(.bar)), .chosen(.launch(.now)), .chosen(.discipline(.off)),
      .chosen(.discipline(.relocate)),
    ]
  }()

  @Test func `Each event of the bridge is in at most two short sentences`() throws {
    for event in Self.events { for line in event.logLines { expectShort(line.text) } }
    // The program's own list of the events' names, and what was measured, are the same.
    let names = try Self.source("Sources/jackstay/BridgeEvent+JSON.swift")
      .matches(of: /(?m)^    case \.[A-Za-z]+: "([a-z_]+)"$/).map { String($0.output.1) }
    #expect(names.count > 60 && Set(names) == Set(Self.events.compactMap { $0.object["event"]?.string }))
  }

  @Test func `Each answer to a command is in at most two short sentences`() {
    let outcomes: [CommandOutcome] = [
      .taken, .kept, .noServer, .anothers, .keptForLater, .renders, .keptForRender, .standsStill, .tooFar,
      .barsAreAnothers, .doesNotRoll, .neitherLeads, .transportIsMasters, .tempoIsJACKs, .tempoIsNotSent,
      .downbeatIsOwners, .firstTap, .tooMany,
    ]
    for line in outcomes.compactMap(\.logLine) { expectShort(line.text) }
  }

  @Test func `Each error of JACK's and Link's is in at most two short sentences`() throws {
    for error in JACKErrors.all { expectShort(error.description) }
    expectShort(LinkError.cannotStart(reason: "Too many open files").description)
    expectShort(LinkError.portTaken(20808).description)
    let cases = try Self.source("Sources/JACK/JACKError.swift").matches(of: /(?m)^  case [a-z]/).count
    #expect(Set(JACKErrors.all.map(JACKErrors.name)).count == cases)
  }

  @Test func `No text in the sources is longer than two short sentences`() throws {
    let folder = Typechecking.packageRoot.appending(path: "Sources")
    var texts = 0
    for case let file as URL in try #require(
      FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
    where file.pathExtension == "swift"
      && !["Options.swift", "PanelPage.swift", "CompletionScript.swift"].contains(file.lastPathComponent)
    {
      for text in SourceTexts(try String(contentsOf: file, encoding: .utf8)).texts
      where text.contains(" ") && !text.contains("\n") {
        texts += 1
        #expect(text.count <= Self.longest, "\(file.lastPathComponent): \(text)")
        #expect(Self.sentences(in: text) <= 2, "\(file.lastPathComponent): \(text)")
      }
    }
    #expect(texts > 500)
  }

  @Test(arguments: [
    ("One.", 1), ("one", 1), ("it is 12.5 ms. Wait.", 2), ("a: b; c", 1), ("One. Two. Three", 3),
    ("see (\"First beat\" in the guide).", 1),
  ])
  func `Sentences are counted, and numbers are none`(text: String, count: Int) {
    #expect(Self.sentences(in: text) == count)
  }
}

/// One of each of JACK's errors, and of what can follow.
private enum JACKErrors {
  static let all: [JACKError] = [
    .serverNotRunning(server: "default"),
    .serverUnreachable(server: "default", .starting(process: 4_194_304)),
    .serverUnreachable(server: "default", .elsewhere(process: 4_194_304)),
    .serverUnreachable(server: "default", .anothers(user: 65534)),
    .serverUnreachable(server: "default", .pipeWire),
    .serverUnreachable(server: "default", .jackd2), .serverFull(server: "default"),
    .serverRefused(OpenStatus(rawValue: 0x10)), .protocolMismatch, .nameTaken("jackstay"),
    .invalidName("jackstay", .empty),
    .invalidName("jackstay", .tooLong(limit: 63)), .invalidName("a:b", .forbiddenCharacter(":")),
    .invalidServerName("default", .forbiddenCharacter("/")), .cannotActivate(code: -1), .serverGone,
    .clientClosed,
    .invalidProperty(key: "http://jackaudio.org/metadata/pretty-name"), .noPort("midi_clock"),
    .portTaken("jackstay:midi_clock"), .callFailed(function: "jack_set_sync_callback", code: -1),
  ]

  /// The name of the case.
  static func name(of error: JACKError) -> String {
    Mirror(reflecting: error).children.first?.label ?? error.description
  }
}

/// The texts in a Swift source, with `+` between their parts, and twelve characters for each interpolation.
struct SourceTexts {
  private(set) var texts: [String] = []
  private var rest: Substring

  init(_ source: String) {
    let code = source.split(separator: "\n", omittingEmptySubsequences: false)
      .filter { !$0.drop(while: \.isWhitespace).hasPrefix("//") }.joined(separator: "\n")
    rest = code[...]
    while let quote = rest.firstIndex(of: "\"") {
      rest = rest[quote...]
      var text = literal()
      while true {
        let next = rest.drop(while: \.isWhitespace)
        guard next.first == "+" else { break }
        let operand = next.dropFirst().drop(while: \.isWhitespace)
        guard operand.first == "\"" else { break }
        rest = operand
        text += literal()
      }
      texts.append(text)
    }
  }

  /// The literal that the rest begins with, of which nothing is left then.
  private mutating func literal() -> String {
    let quotes = rest.hasPrefix("\"\"\"") ? "\"\"\"" : "\""
    rest = rest.dropFirst(quotes.count)
    var text = ""
    while !rest.isEmpty, !rest.hasPrefix(quotes) {
      guard rest.first == "\\" else {
        text.append(rest.removeFirst())
        continue
      }
      rest.removeFirst()
      switch rest.first {
      case "(":
        skipInterpolation()
        text += "xxxxxxxxxxxx"
      case "\n": rest = rest.drop(while: \.isWhitespace)
      default:
        rest = rest.dropFirst()
        text += "'"
      }
    }
    rest = rest.dropFirst(quotes.count)
    guard quotes.count > 1 else { return text }
    return text.split(separator: "\n").map { $0.drop(while: \.isWhitespace) }.filter { !$0.isEmpty }
      .joined(separator: "\n")
  }

  private mutating func skipInterpolation() {
    var depth = 0
    while let character = rest.first {
      if character == "\"" {
        _ = literal()
        continue
      }
      rest.removeFirst()
      if character == "(" { depth += 1 }
      if character == ")" {
        depth -= 1
        if depth == 0 { return }
      }
    }
  }
}
