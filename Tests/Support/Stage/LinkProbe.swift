/// The project's instrument, driven step by step: a Link peer and a passive JACK client in one process.
///
/// The actions and the fields of the reports are described at the top of `Tests/Tools/LinkProbe/main.cpp`.
///
/// Methods block the calling thread until the probe has answered.
public final class LinkProbe: Sendable {
  /// The probe's process.
  public let child: Child

  private init(_ child: Child) { self.child = child }

  /// Starts a probe and returns when it takes actions.
  ///
  /// - Parameters:
  ///   - server: The JACK server to watch; nil for a Link peer alone.
  ///   - name: The JACK client's name.
  ///   - bpm: The tempo it brings into a session it finds empty.
  ///   - quantum: Its quantum, in beats.
  ///   - latency: Playback latency in microseconds; nil asks JACK.
  ///   - joinsLink: Whether it is a Link peer from the start; otherwise only after "enable 1".
  ///   - joinsJACK: Whether it is a client of the server; otherwise only those are that an action opens.
  ///   - peers: How many Link peers it is. All of them join and leave together; actions are the first one's.
  /// - Returns: The probe.
  /// - Throws: ``StageError`` when it does not start or finds no server.
  public static func start(
    server: JackServer?, name: String = "linkprobe", bpm: Double = 120, quantum: Double = 4,
    latency: Double? = nil, joinsLink: Bool = true, joinsJACK: Bool = true, peers: Int = 1
  ) throws(StageError) -> LinkProbe {
    var arguments = ["-n", name, "-b", "\(bpm)", "-q", "\(quantum)"]
    if let latency { arguments += ["-l", "\(latency)"] }
    if server == nil || !joinsJACK { arguments.append("--no-jack") }
    if peers > 1 { arguments += ["--peers", "\(peers)"] }
    if !joinsLink { arguments.append("--no-link") }
    let probe = LinkProbe(
      try Child(
        Products.path("linkprobe"), arguments, environment: server?.environment ?? [:], streams: .pipes))
    try probe.send("wait 0")
    return probe
  }

  /// All reports so far.
  public var reports: [ProbeReport] { child.lines().compactMap(ProbeReport.init) }

  /// The moves of the session's grid that it has seen so far.
  public var gridMoves: [ProbeReport] { reports.filter { $0.word("event") == "link_jump" } }

  /// Has one action done.
  ///
  /// - Parameters:
  ///   - action: One action, as in a script.
  ///   - timeout: How long it may take beyond the seconds it names.
  /// - Returns: The reports meanwhile.
  /// - Throws: ``StageError`` when the action is bad or takes too long.
  @discardableResult public func send(
    _ action: String, timeout: Duration = .seconds(30)
  ) throws(StageError) -> [ProbeReport] {
    let first = child.lines().count
    let seconds = action.split(separator: " ").last.flatMap { Double($0) } ?? 0
    let waits = ["wait", "measure", "await", "reconnect"].contains { action.hasPrefix($0) }
    try child.write(action + "\n")
    let done = try child.awaitLine(
      from: first, timeout: waits ? timeout + .seconds(seconds) : timeout, "end of \"\(action)\""
    ) {
      ProbeReport($0)?.word("done") == action
    }
    return child.lines()[first..<done.index].compactMap(ProbeReport.init)
  }

  /// Samples for some seconds and returns the statistics.
  public func measure(_ name: String = "measure", seconds: Double) throws(StageError) -> ProbeReport {
    try report("measure", of: try send("measure \(name) \(seconds)"))
  }

  /// Samples while something else is done, for as long as that is to take, and returns the statistics.
  ///
  /// The probe can do nothing else meanwhile.
  public func measure(
    _ name: String, seconds: Double, while body: () throws -> Void
  ) throws -> ProbeReport {
    let first = child.lines().count
    try child.write("measure \(name) \(seconds)\n")
    try body()
    return try awaitReport("\"\(name)\"", from: first, timeout: .seconds(seconds) + .seconds(30)) {
      $0.word("measure") == name
    }
  }

  /// Has JACK freewheel as an export does, and compares the position with its frames.
  ///
  /// - Parameters:
  ///   - frame: Where it begins.
  ///   - seconds: How much music it is.
  /// - Returns: How far the position was from where frames put it.
  /// - Throws: ``StageError`` when the server does not freewheel.
  public func render(from frame: Int, seconds: Double) throws(StageError) -> ProbeReport {
    let action = "render \(frame) \(seconds)"
    let reports = try send(action, timeout: .seconds(90))
    guard let report = reports.first(where: { $0.word("event") == "render" }) else {
      throw .unusable("no report on \"\(action)\": \(reports)")
    }
    return report
  }

  /// The state of the session and the transport now.
  public func peers() throws(StageError) -> ProbeReport { try report("peers", of: try send("peers")) }

  /// Waits for a state, as "rolling" or "peers 2", and returns whether it came in time.
  public func awaitState(_ state: String, seconds: Double = 20) throws(StageError) -> Bool {
    try report("met", of: try send("await \(state) \(seconds)"))["met"] == 1
  }

  /// Waits for the result of a watch that an action began, the one that ended last when several did.
  public func watch(_ name: String, timeout: Duration = .seconds(20)) throws(StageError) -> ProbeReport {
    if let last = reports.last(where: { $0.word("watch") == name }) { return last }
    return try awaitReport("watch \"\(name)\"", timeout: timeout) { $0.word("watch") == name }
  }

  /// Has the transport begin to roll, and waits until it does.
  ///
  /// - Parameters:
  ///   - action: The action that starts it: "jackstart", one of the plays, or "locate" while it is not
  ///     stopped.
  ///   - timeout: How long it may be held.
  /// - Returns: The report on the first rolling cycle.
  /// - Throws: ``StageError`` when it does not roll in time.
  public func launch(
    by action: String = "jackstart", timeout: Duration = .seconds(30)
  ) throws(StageError) -> ProbeReport {
    let first = child.lines().count
    try send(action)
    return try awaitRoll(after: action, from: first, timeout: timeout)
  }

  /// Waits for the first rolling cycle after an action that was the probe's line `first` or later.
  public func awaitRoll(
    after action: String, from first: Int, timeout: Duration = .seconds(30)
  ) throws(StageError) -> ProbeReport {
    let cause =
      switch action.prefix(while: { $0 != " " }) {
      case "jackstart": "jack start"
      case "locate": "locate"
      default: "link play"
      }
    return try awaitReport("roll after \"\(action)\"", from: first, timeout: timeout) {
      $0.word("watch") == "\(cause) -> jack rolling"
    }
  }

  /// Waits until the session is at a beat of its quantum.
  ///
  /// - Parameters:
  ///   - beat: The beat, which may be negative: before the next quantum.
  ///   - quantum: The quantum, in beats.
  /// - Throws: ``StageError`` when the probe has ended.
  public func awaitBeat(_ beat: Double, ofQuantum quantum: Double = 4) throws(StageError) {
    let now = try peers()
    guard let current = now["link_beat"], let tempo = now["link_bpm"], tempo > 0 else {
      throw .unusable("the probe reported no beat")
    }
    let way = (beat - current).truncatingRemainder(dividingBy: quantum)
    try send("wait \((way < 0 ? way + quantum : way) * 60 / tempo)")
  }

  /// Waits for a report that meets a condition.
  ///
  /// - Parameters:
  ///   - what: Names what is awaited in the error.
  ///   - first: The first line that counts; those already there do when it is 0.
  ///   - timeout: How long to wait at most.
  ///   - condition: The condition of the report.
  /// - Returns: The first such report.
  /// - Throws: ``StageError`` when there is none in time or the probe has ended without one.
  public func awaitReport(
    _ what: String = "report", from first: Int = 0, timeout: Duration = .seconds(20),
    where condition: (ProbeReport) -> Bool
  ) throws(StageError) -> ProbeReport {
    var found: ProbeReport?
    try child.awaitLine(from: first, timeout: timeout, what) { line in
      guard let report = ProbeReport(line), condition(report) else { return false }
      found = report
      return true
    }
    guard let found else { throw .unusable("no report") }
    return found
  }

  /// Ends the script and returns how the probe ended.
  @discardableResult public func finish() throws(StageError) -> ExitStatus {
    child.closeInput()
    return try child.wait()
  }

  private func report(_ key: String, of reports: [ProbeReport]) throws(StageError) -> ProbeReport {
    guard let report = reports.last(where: { $0.has(key) }) else {
      throw .unusable("the probe reported no \(key)")
    }
    return report
  }
}
