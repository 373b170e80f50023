import Foundation
import MusicalTime
import Reconciliation
import Simulation
import Testing

/// The simulator's idea of a server's transport and timebase, against recordings of servers.
@Suite struct TransportTests {
  @Test(
    "The simulated transport does in each cycle what the recorded server did", arguments: TransportScene.all)
  func replay(_ scene: TransportScene) throws {
    #expect(scene.cycles.count >= 50)
    let difference = scene.difference(by: scene.rules)
    #expect(difference == nil, "\(difference ?? "")")
  }

  @Test func `Each server is recorded in all scenes`() {
    let servers = Dictionary(grouping: TransportScene.all, by: \.server)
    #expect(
      servers.keys.sorted() == ["jackd2-1.9.21", "jackd2-1.9.22", "pipewire-0.3.65", "pipewire-1.4.2"])
    #expect(Set(servers.values.map { $0.map(\.title) }).count == 1)
    #expect(TransportScene.all.count >= 4 * 25)
  }

  @Test("A rule that is wrong is noticed in some recording", arguments: WrongRule.all)
  func mistake(_ rule: WrongRule) {
    var noticed: [String: Int] = [:]
    for scene in TransportScene.all {
      var rules = scene.rules
      rule.bend(&rules)
      if rules != scene.rules, scene.difference(by: rules) != nil { noticed[scene.server, default: 0] += 1 }
    }
    let couldNotice = Set(TransportScene.all.filter { rule.isOther(for: $0.rules) }.map(\.server))
    #expect(Set(noticed.keys) == couldNotice, "\(noticed)")
  }

  @Test(
    "The bridge goes by rules that were recorded",
    arguments: [TransportRules.jackd2, .pipewire, .modernPipewire])
  func belief(_ server: TransportRules) {
    let believed = server.believed
    #expect(believed.rollOffset == server.rollOffset)
    #expect(believed.locatesExtendHold == server.locatesExtendHold)
    #expect(believed.wholeTicks == server.wholeTicks)
    #expect(believed.ownersAge == (server.asksWithNextFrame ? 0 : 1))
    #expect(believed.refusesTimebase == server.refusesTimebase)
    #expect(believed.longestHold == server.longestHold)
    #expect(believed.takesTransportLate == server.takesTransportLate)
    #expect(!believed.followsMaster)
  }

  @Test("Clients are shown an owner's ticks, or whole ones of 1920", arguments: TransportScene.all)
  func ticks(_ scene: TransportScene) {
    guard let ticks = scene.ticks else { return }
    #expect(ticks == scene.rules.wholeTicks.map { "\($0.count)" } ?? "192000")
  }
}

/// A rule of servers that is not as it is.
struct WrongRule: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let bend: @Sendable (inout TransportRules) -> Void

  /// Whether it is wrong for a server of these rules.
  func isOther(for rules: TransportRules) -> Bool {
    var other = rules
    bend(&other)
    return other != rules
  }

  static let all = [
    WrongRule(testDescription: "relocationDelay") { $0.relocationDelay = 3 - $0.relocationDelay },
    WrongRule(testDescription: "rollOffset") { $0.rollOffset = 1 - $0.rollOffset },
    WrongRule(testDescription: "rollsFirstFromThere") {
      $0.rollsFirstFromThere = $0.rollOffset > 0 && !$0.rollsFirstFromThere
    },
    WrongRule(testDescription: "restartsRoll") { $0.restartsRoll.toggle() },
    WrongRule(testDescription: "locatesExtendHold") { $0.locatesExtendHold.toggle() },
    WrongRule(testDescription: "asksWithNextFrame") { $0.asksWithNextFrame.toggle() },
    WrongRule(testDescription: "wipesPosition") { $0.wipesPosition.toggle() },
    WrongRule(testDescription: "refusesTimebase") { $0.refusesTimebase.toggle() },
    WrongRule(testDescription: "asksLate") { $0.asksLate = false },
    WrongRule(testDescription: "relocatesForOwner") { $0.relocatesForOwner.toggle() },
    WrongRule(testDescription: "rendersApart") { $0.rendersApart.toggle() },
    WrongRule(testDescription: "longestHold") { if $0.longestHold != nil { $0.longestHold = .seconds(5.1) } },
  ]
}

/// A scene in a recording, which `Tests/Tools/TransportRecorder` has made.
struct TransportScene: Sendable, CustomTestStringConvertible {
  /// A request that is made in a cycle, after its callbacks.
  struct Request {
    let client: Character
    let action: Substring
    let argument: Substring?
    /// The server's return value.
    let result: Int?
    let text: String

    init(_ line: Substring) {
      text = String(line.dropFirst(2))
      let halves = line.dropFirst(2).split(separator: " = ")
      let words = halves[0].split(separator: " ")
      client = words[0].first ?? "?"
      action = words[1]
      argument = words.count > 2 ? words[2] : nil
      result = halves.count > 1 ? Int(halves[1]) : nil
    }

    var frame: TransportFrame { argument.flatMap { UInt32($0) }.map { TransportFrame($0) } ?? 0 }
    /// How many cycles late it may be.
    func latest(by rules: TransportRules) -> Int {
      switch action {
      // Through a process that takes its time.
      case "start", "stop": rules.takesTransportLate ? TransportEngine.latestWish : 0
      // A client of jackd2 that is not run any more leaves the server by a message, and one of PipeWire may have the
      // timebase for a cycle more.
      case "close": rules.relocatesForOwner ? 8 : 1
      default: 0
      }
    }
  }

  /// A cycle as it is recorded, and the line where that is.
  struct Cycle {
    let row: Substring
    let line: Int
    var requests: [Request] = []
  }

  let server: String
  let title: String
  var before: [Request] = []
  var cycles: [Cycle] = []
  /// How many ticks clients have read in a beat of an owner of 192000.
  var ticks: Substring?

  var testDescription: String { "\(server): \(title)" }

  var rules: TransportRules {
    let parts = server.split(separator: "-")
    guard parts[0] == "pipewire" else { return .jackd2 }
    return parts[1].hasPrefix("0.") ? .pipewire : .modernPipewire
  }

  static let all: [TransportScene] = {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Recordings/Transport")
    let files =
      (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)) ?? []
    return files.sorted { $0.path < $1.path }.flatMap { scenes(in: $0) }
  }()

  private static func scenes(in file: URL) -> [TransportScene] {
    let server = file.deletingPathExtension().lastPathComponent
    let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
    var scenes: [TransportScene] = []
    for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      if line.hasPrefix("## ") { scenes.append(.init(server: server, title: String(line.dropFirst(3)))) }
      guard !line.isEmpty, !scenes.isEmpty else { continue }
      scenes[scenes.count - 1].read(line, number + 1)
    }
    return scenes
  }

  private init(server: String, title: String) {
    self.server = server
    self.title = title
  }

  private mutating func read(_ line: Substring, _ number: Int) {
    switch line.first {
    case "#": if line.hasPrefix("# ") { ticks = line.split(separator: "/").last }
    case "<": before.append(Request(line))
    case ">": cycles[cycles.count - 1].requests.append(Request(line))
    default:
      let parts = line.split(separator: " *")
      let count = parts.count > 1 ? Int(parts[1]) ?? 0 : 1
      cycles += Array(repeating: Cycle(row: parts[0], line: number), count: count)
    }
  }

  /// Where a simulated server with these rules first does something else.
  func difference(by rules: TransportRules) -> String? {
    let requests = cycles.indices.flatMap { cycle in
      cycles[cycle].requests.map { (cycle: cycle, latest: $0.latest(by: rules)) }
    }
    var delays = Array(repeating: 0, count: requests.count)
    var player = TransportPlayer(self, rules, delays)
    let difference = player.play()
    var last = difference
    // An event that may come late comes as late as fits.
    while let found = last {
      let late = requests.indices.last {
        requests[$0].cycle < found.cycle && delays[$0] < requests[$0].latest
      }
      guard let late else { return difference?.text }
      delays[late] += 1
      for later in requests.indices where later > late { delays[later] = 0 }
      var player = TransportPlayer(self, rules, delays)
      last = player.play()
    }
    return nil
  }
}

/// Plays a scene with the simulated server, and writes its cycles down as the recorder does.
private struct TransportPlayer {
  let scene: TransportScene
  let rules: TransportRules
  let delays: [Int]
  var engine: TransportEngine
  var clients: [Character] = []
  /// Those of them that have a sync callback, in the server's order.
  var slow: [Character] = []
  var isOursAsked = false
  /// Those that were not let run in the cycle before.
  var missed: [Character] = []
  var answers = 0
  var late: [(due: Int, request: TransportScene.Request)] = []
  var requests = 0
  // The cycle before.
  var frame: TransportFrame?
  var reading: Int?
  var answered: Int?

  init(_ scene: TransportScene, _ rules: TransportRules, _ delays: [Int]) {
    self.scene = scene
    self.rules = rules
    self.delays = delays
    engine = TransportEngine(period: 1024, rules: rules)
    if let longest = rules.longestHold { engine.setTimeout(longest, at: .standard) }
  }

  mutating func play() -> (cycle: Int, text: String)? {
    for request in scene.before {
      if let difference = take(request, -1) { return (0, difference) }
    }
    requests = 0
    for _ in 0..<30 { _ = cycle(Substring(clients.map { "\($0):Sp" }.joined(separator: " "))) }
    frame = nil
    for (number, recorded) in scene.cycles.enumerated() {
      for (due, request) in late where due <= number { takeLate(request) }
      late.removeAll { $0.due <= number }
      let row = cycle(recorded.row)
      guard row == recorded.row else {
        return (
          number, "cycle \(number), line \(recorded.line): \"\(recorded.row)\" was recorded, not \"\(row)\""
        )
      }
      for request in recorded.requests {
        guard let difference = take(request, number) else { continue }
        return (number, "cycle \(number), line \(recorded.line): \(difference)")
      }
    }
    return nil
  }

  private func id(_ client: Character) -> Int { Int(client.asciiValue ?? 0) }

  private mutating func take(_ request: TransportScene.Request, _ cycle: Int) -> String? {
    let client = request.client
    let number = requests
    requests += 1
    var result = 0
    switch request.action {
    case "open": join(client, request.argument)
    case "close":
      clients.removeAll { $0 == client }
      if !rules.relocatesForOwner { leave(client) }
      late.append((cycle + 1 + delays[number], request))
    case "start", "stop": late.append((cycle + 1 + delays[number], request))
    case "locate": engine.locate(to: request.frame)
    case "reposition": engine.reposition(to: request.frame)
    case "timeout":
      engine.setTimeout(.milliseconds(request.argument.flatMap { Double($0) } ?? 0), at: .standard)
    case "take": engine.takeTimebase(id(client))
    case "ask": result = engine.askForTimebase(id(client)) ? 0 : Int(EBUSY)
    case "release": result = engine.releaseTimebase(id(client)) ? 0 : Int(EINVAL)
    case "freewheel": engine.setFreewheel(request.argument == "1")
    case "sleep": break
    default: return "nobody can do \"\(request.text)\""
    }
    guard let recorded = request.result, recorded != result else { return nil }
    return "\"\(request.text)\" was recorded, not \(result)"
  }

  private mutating func takeLate(_ request: TransportScene.Request) {
    switch request.action {
    case "start": engine.start()
    case "stop": engine.stop()
    default:
      leave(request.client)
      engine.releaseTimebase(id(request.client))
    }
  }

  /// The transport does not wait for it any more.
  private mutating func leave(_ client: Character) {
    guard let index = slow.firstIndex(of: client) else { return }
    slow.remove(at: index)
    engine.slowClients.remove(at: index)
  }

  private mutating func join(_ client: Character, _ readiness: Substring?) {
    clients.append(client)
    if client == "a" {
      isOursAsked = readiness != nil
    } else if let readiness {
      slow.append(client)
      engine.slowClients.append(.init(needs: Int(readiness)))
    }
  }

  /// Runs a cycle, with those clients that were run in the recorded one, and with the recorder's own answers.
  private mutating func cycle(_ recorded: Substring) -> String {
    engine.beginCycle()
    var words = [state, place(of: engine.frame, after: frame), read]
    (frame, reading, answered) = (engine.frame, engine.reading, nil)
    let run = recorded.split(separator: " ").filter { $0.dropFirst().first == ":" }
    var isOwnerRun = false
    for client in clients.sorted() {
      guard let calls = run.first(where: { $0.first == client }) else { continue }
      isOwnerRun = isOwnerRun || engine.owner == id(client)
      // A client that comes late ends the cycle first in which it was, and makes up for the others.
      let end = missed.contains(client) ? timebase(client) + "p" : "p" + timebase(client)
      words.append("\(client):\(sync(client, calls))\(end)")
    }
    missed = clients.filter { client in !run.contains { $0.first == client } }
    if !isOwnerRun, engine.owner != nil, engine.asksOwner { engine.ownerMisses() }
    return words.joined(separator: " ")
  }

  private var state: String {
    switch engine.motion {
    case .stopped: "stop"
    case .starting: "wait"
    case .rolling: "roll"
    }
  }

  private var read: String {
    switch engine.reading {
    case nil: "-"
    case reading: "="
    case answered: "+"
    case let other?: "#\(other)"
    }
  }

  private func place(of frame: TransportFrame, after last: TransportFrame?) -> String {
    switch frame {
    case last: "="
    case last.map { $0 + 1024 }: "+"
    default: "\(frame.number)"
    }
  }

  private mutating func sync(_ client: Character, _ recorded: Substring) -> String {
    if client == "a" {
      guard engine.isSyncCallback else { return "" }
      let isReady = !isOursAsked || !recorded.contains("s")
      engine.answer(isReady: isReady)
      return !isOursAsked ? "" : isReady ? "S" : "s"
    }
    guard let index = slow.firstIndex(of: client), engine.slowClients[index].isAsked else { return "" }
    return engine.slowClients[index].isReady ? "S" : "s"
  }

  private mutating func timebase(_ client: Character) -> String {
    guard engine.owner == id(client), engine.asksOwner else { return "" }
    let call = engine.asksAboutNew ? "T" : "t"
    let asked = place(of: engine.askedFrame, after: engine.frame)
    answers += 1
    answered = answers
    engine.ownerAnswers(answers)
    return call + asked
  }
}
