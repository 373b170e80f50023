import AbletonLink
import Host
import JACK
import MusicalTime
import Reconciliation

/// The bridge between a JACK server and a Link session: connects the two, and connects them again.
///
/// While there is no JACK server the bridge is not a peer in any session; when one comes it joins by itself.
/// `Cycle` is the real-time half; this is the slow half, which may wait.
public actor Bridge {
  /// Everything that happens, for one listener.
  public nonisolated var events: AsyncStream<BridgeEvent> { news.stream }

  /// The bridge's own queue, on which nothing blocks: what may is asked of ``requests``.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

  /// The bridge's properties that other JACK clients read and write.
  public nonisolated let properties = ClientProperties()

  /// Whether certain programs are clients of the same JACK server.
  public nonisolated let clients = ClientWatch()

  let queue = ControlQueue()
  let requests = ServerRequests()
  /// The present configuration: the one of the start, with the choices since.
  var configuration: BridgeConfiguration
  let session: SessionMembership
  private let news = AsyncStream.makeStream(of: BridgeEvent.self, bufferingPolicy: .bufferingNewest(1024))
  private var life = Life.idle
  /// The connections of its ports, to be made again on the next client.
  private var cables = PortMemory()
  private var openings = Openings()
  var tempos: Tempos
  private var waits = Waits()

  /// The clients that the bridge has been and is to be.
  private struct Openings {
    /// Whether some server has taken the bridge in.
    var hasServed = false
    /// How often the bridge has become another client.
    var reopenings = 0
    /// Whether no client is to be opened, because the program is about to be stopped.
    var isPaused = false
  }

  /// The tempos that one configuration brings to a session.
  struct Tempos {
    /// The tempo of a new session, until the cycle has it.
    var founding: Tempo?
    var taps = TapTempo()

    init(_ configuration: BridgeConfiguration) { founding = configuration.tempo }
  }

  /// The activity of the bridge, with the data that belongs to that alone.
  private enum Life {
    /// It does not run.
    case idle
    /// It looks for a JACK server, or is paused.
    case waiting
    /// Another bridge has the server, and it takes over when that goes.
    case standingBy
    /// JACK freewheels, as for an export, and it joins JACK when that ends.
    case awaitingRender
    /// It is a client of a server.
    case bridging(Connection)
  }

  /// Takes the events.
  var report: AsyncStream<BridgeEvent>.Continuation { news.continuation }

  /// The server that the bridge is a client of; `nil` where it is none.
  var connection: Connection? { if case .bridging(let connection) = life { connection } else { nil } }

  /// The activity as the status shows it.
  var standing: BridgeOverview.Standing {
    switch life {
    case .idle, .waiting: .waiting
    case .standingBy: .standingBy
    case .awaitingRender: .awaitingRender
    case .bridging: .bridging
    }
  }

  /// One life of a JACK server. An object, so that looking into it copies nothing.
  final class Connection {
    let client: ActiveClient
    let channels: CycleChannels
    /// The rules of this kind of server.
    let rules: ServerRules
    var keeper: TimebaseKeeper
    /// The last grant of a server that grants the timebase to any client.
    var grant = TimebaseGrant()
    var latency = LatencyState()
    var reports = CycleReports()
    var standstill = StandstillWatch()
    /// Whether a client has left that a start may have been waiting for.
    var hasLostClient = false
    /// How many commands the cycle has been given.
    private(set) var commandsGiven = 0
    var service = Service.joining

    /// How long it lasts.
    enum Service {
      /// Events of the server are not followed yet.
      case joining
      /// The task runs until the server goes, or another client is to be opened.
      case following(Task<Outcome, Never>)
      /// The client has left the server.
      case ended
    }

    init(client: ActiveClient, channels: CycleChannels, rules: ServerRules, keeper: TimebaseKeeper) {
      self.client = client
      self.channels = channels
      self.rules = rules
      self.keeper = keeper
    }

    /// The state of affairs at the end of the last cycle that has reported it.
    var status: CycleStatus { channels.status.reader.read() }

    /// Has the bridge leave the server, if it follows its events.
    func end() { if case .following(let task) = service { task.cancel() } }

    /// Gives the cycle a command, with the choices by which it is carried out; false where too many wait.
    func give(_ command: Command, by choices: Choices) -> Bool {
      guard channels.orders.commands.writer.push(CycleRequest(command: command, choices: choices)) else {
        return false
      }
      commandsGiven += 1
      return true
    }
  }

  /// How often things are looked after without a server.
  private static let calm = HostInterval.milliseconds(250)
  /// How long JACK's clock has to find its feet after the machine has slept, and Link to take the session for
  /// the older one.
  private static let waking = Duration.seconds(1)
  /// How often a server is looked for.
  private static let retry = Duration.milliseconds(100)
  /// How often a server is looked at that may freewheel, and one that does.
  private static let looking = Duration.milliseconds(1)
  private static let rendering = Duration.milliseconds(20)
  /// How much longer a full one is left alone.
  private static let fullRetry = Duration.milliseconds(900)
  /// How long the bridge waits at the end for the cycle to send the MIDI clock's Stop.
  private static let lastWords = HostInterval.milliseconds(80)
  /// How long a server that is alive may need for the first cycles, and Link for their commits.
  private static let firstCycles = HostInterval.seconds(1)
  /// How many refusals in a row show that a server does not just need time to start.
  private static let refusals = 10

  /// A bridge that does nothing until it runs. Throws when Link cannot be had. Thread-safe. Realtime-safe: no.
  public init(_ configuration: BridgeConfiguration) throws(BridgeError) {
    self.configuration = configuration
    tempos = Tempos(configuration)
    do {
      session = try SessionMembership()
    } catch {
      throw .link(error)
    }
    session.link.setStartStopSyncEnabled(configuration.reconciler.choices.startStopSync != .off)
  }

  /// Bridges until the task is cancelled, then leaves both sides in order.
  ///
  /// Throws when there is no server and the configuration does not wait for one, or when a server refuses. To
  /// be called once. Thread-safe. Realtime-safe: no.
  public func run() async throws(BridgeError) {
    let feeds = startFeeds()
    life = .waiting
    scheduleCheck()
    defer {
      life = .idle
      requests.claim.release()
      for feed in feeds { feed.cancel() }
      report.finish()
    }
    var refusals = 0
    while !Task.isCancelled {
      do throws(JACKError) {
        let reopenings = openings.reopenings
        guard let client = try await openClient() else { return }
        try await serve(client, reopenings)
        refusals = 0
      } catch {
        refusals += 1
        if givesUp(after: error, refusals) { throw .jack(error) }
        try? await Task.sleep(for: Bridge.retry)
      }
    }
  }

  /// Leaves the Link session at once, for good. Everything else ends when the task of ``run()`` is cancelled,
  /// which may take as long as a JACK server that hangs.
  ///
  /// Thread-safe.
  public nonisolated func leaveSession() { session.leaveForGood() }

  /// The state of affairs, or `nil` while there is no JACK server. Thread-safe. Realtime-safe: no.
  public func status() -> BridgeStatus? {
    connection.map { connection in
      connection.channels.orders.lastLook.writer.write(session.link.now())
      let cycle = connection.status
      // JACK does not report other owners: the cycle sees their positions.
      let owner = connection.keeper.owner.isMe ? .me : cycle.jack.owner
      var status = BridgeStatus(cycle, owner: owner)
      status.standsStill = connection.standstill.isStopped
      return status
    }
  }

  private func startFeeds() -> [Task<Void, Never>] {
    let (tempos, peers) = (session.link.tempoChanges(), session.link.peerCountChanges())
    return [
      Task {
        for await tempo in tempos {
          tell(tempo)
          happened(.positionChanged)
        }
      },
      Task { for await count in peers { report.yield(.peersChanged(count)) } },
    ]
  }
}

extension Bridge {
  /// The meter in which the bridge counts bars.
  private var meter: Meter {
    connection?.status.song.bars.meter ?? configuration.reconciler.choices.meter
  }

  /// Reports a tempo, unless it is one of steering.
  private func tell(_ tempo: Tempo) {
    let steered = connection?.status.session.steered
    let isSteering = steered.map { $0.isSameOnTheWire(as: tempo) } ?? false
    let isOurs = connection?.keeper.owner.isMe ?? true
    let jack = isOurs ? meter.beatsPerMinute(at: tempo) : nil
    report.yield(isSteering ? .tempoSteered(tempo) : .tempoChanged(tempo, jack: jack))
  }
}

// MARK: - Connecting

extension Bridge {
  /// Opens a client as soon as there is a server without a bridge; `nil` when cancelled.
  private func openClient() async throws(JACKError) -> Client? {
    var wait = ServerWait()
    while !Task.isCancelled {
      guard !openings.isPaused else {
        try? await Task.sleep(for: Bridge.retry)
        continue
      }
      do throws(JACKError) {
        let (name, server) = (configuration.clientName, configuration.server)
        if let client = try await requests.open(name: name, server: server) { return client }
        await standBy()
        wait = ServerWait()
        continue
      } catch {
        guard error.isPassing else { throw error }
        guard configuration.waitsForServer else { throw await requests.explanation(of: error) }
        if wait.isLookDue(at: .now),
          let reason = wait.news(await requests.explanation(of: error), at: .now)
        {
          report.yield(.waitingForServer(reason))
        }
        // Each attempt costs a full server some work.
        if case .serverFull = error { try? await Task.sleep(for: Bridge.fullRetry) }
      }
      try? await Task.sleep(for: Bridge.retry)
    }
    return nil
  }

  /// Waits until no other bridge has the server that was reached. The bridge is neither a client nor a peer
  /// meanwhile: there is nothing to disagree about, and no start has one more client to wait for.
  private func standBy() async {
    life = .standingBy
    report.yield(.standingBy(holder: requests.claim.holder))
    while !Task.isCancelled, !requests.claim.takeAgain() { try? await Task.sleep(for: Bridge.retry) }
    life = .waiting
    if !Task.isCancelled { report.yield(.takingOver) }
  }

  /// A server that is just starting, or breaking down, refuses for a while. One that took the bridge in
  /// before is worth waiting for; at any other the program ends, and its user has to repair the server.
  private func givesUp(after error: JACKError, _ refusals: Int) -> Bool {
    if error.isPassing { return !openings.hasServed }
    guard refusals == Bridge.refusals else { return false }
    if openings.hasServed { report.yield(.serverRefuses(error)) }
    return !openings.hasServed
  }

  private func serve(_ client: consuming Client, _ opened: Int) async throws(JACKError) {
    guard await awaitRealTime(client, opened) else { return requests.claim.release() }
    let events = try await connect(client)
    openings.hasServed = true
    let serving = Task { await follow(events) }
    connection?.service = .following(serving)
    // Another client was wanted while this one was opened.
    if openings.reopenings != opened { serving.cancel() }
    let outcome = await withTaskCancellationHandler {
      await serving.value
    } onCancel: {
      serving.cancel()
    }
    if outcome != .serverGone { await endSong() }
    await leave()
  }

  /// Waits until JACK keeps time: a client that is activated while it freewheels may hang jackd2, and is left out of
  /// its cycles afterwards.
  ///
  /// - Returns: Whether the client is to be activated; false where it is not wanted any more, or its server has gone.
  private func awaitRealTime(_ client: borrowing Client, _ opened: Int) async -> Bool {
    var watch = RenderWatch()
    defer { life = .waiting }
    while !Task.isCancelled, openings.reopenings == opened, !client.serverIsGone {
      guard let pace = client.pace else { return true }
      switch watch.look(pace, at: client.sampleRate) {
      case .keepsTime: return true
      case .unknown: break
      case .renders:
        if standing != .awaitingRender { report.yield(.awaitingRender) }
        life = .awaitingRender
      }
      try? await Task.sleep(for: standing == .awaitingRender ? Bridge.rendering : Bridge.looking)
    }
    return false
  }

  private func follow(_ events: AsyncStream<ServerEvent>) async -> Outcome {
    for await event in events {
      let outcome = handle(event)
      if outcome != .goOn { return outcome }
    }
    return .goOn
  }

  /// Takes the client into the server's cycles, and returns the server's future events.
  private func connect(_ client: consuming Client) async throws(JACKError) -> AsyncStream<ServerEvent> {
    let (rate, bufferSize) = (client.sampleRate, client.bufferSize)
    var begun = configuration.reconciler
    begun.rules = serverRules
    begun.rules.followsMaster = client.server.followsMaster
    if begun.rules.followsMaster { report.yield(.transportIsMasters) }
    let writer = SessionWriter(session.link) { [weak self, queue] in
      queue.run { [weak self] in self?.assumeIsolated { $0.waits.look() } }
    }
    let channels = CycleChannels(begun, writer, endsSong: configuration.midiClock.mode != .off) {
      [weak self, queue] in
      queue.run { [weak self] in self?.assumeIsolated { $0.attendToCycle() } }
    }
    let cycle = Cycle(begun, rate: rate, link: session.audioAccess, channels: channels)
    let (active, missing) = try await requests.activate(
      client, cycle, longestHold: longestHold, configuration)
    channels.desk?.serve(active)
    if let priority = active.realTimePriority { writer.run(after: priority) }
    life = .bridging(
      Connection(
        client: active, channels: channels, rules: begun.rules,
        keeper: TimebaseKeeper(takeover: begun.takeover)))
    properties.use(active)
    clients.look(at: active)
    // It may have changed while the client was opened.
    channels.orders.choices.writer.write(choices)
    cables.clientWasOpened()
    report.yield(
      .connected(
        .init(
          clientName: active.name, requestedName: configuration.clientName, rate: rate,
          bufferSize: bufferSize)))
    for port in missing { report.yield(port) }
    if configuration.offset != .none { report.yield(.offsetChanged(configuration.offset)) }
    updateLatency()
    attendToCycle()
    await foundSession()
    await agreeWithLink()
    happened(.checkDue)
    if configuration.isLinkEnabled { session.join() }
    return active.events
  }

  /// Gives the first session its tempo before any peer can join it: from the cycle, like every other Link
  /// edit.
  private func foundSession() async {
    guard let connection, let tempo = tempos.founding.take() else { return }
    guard connection.give(.foundSession(tempo), by: choices) else { return }
    // The cycle carries out earlier commands first.
    let given = connection.commandsGiven
    await waitForCycle { $0.counts.commands >= given }
  }

  /// Has the first cycle commit JACK's transport state to Link before the session is joined: Link's own
  /// start/stop state may be that of a session which was left.
  private func agreeWithLink() async { await waitForCycle { $0.hasBegun } }

  /// Waits until that is so, and the session has all commits until then; no longer than for a second.
  private func waitForCycle(until condition: @escaping (CycleStatus) -> Bool) async {
    guard let connection else { return }
    await wait(atMost: Bridge.firstCycles) {
      condition(connection.status) && connection.channels.session.isIdle
    }
  }

  /// Has the MIDI clock send the end of its song, and waits until a cycle has carried that away; for as long
  /// as a server that is alive may need for two.
  private func endSong() async {
    guard let connection, let songEnds = connection.channels.orders.songEnds else { return }
    songEnds.writer.write(true)
    // In a task of its own: a cancelled task cannot wait.
    await Task {
      await wait(atMost: Bridge.lastWords) { connection.status.songHasEnded }
    }.value
  }

  private func leave() async {
    session.leave()
    guard let connection else { return }
    life = .waiting
    properties.use(nil)
    clients.look(at: nil)
    // Giving the timebase up while rolling has JACK restart the transport a period back, whether it is
    // released or goes with the client: the bridge cannot prevent that, and reports it.
    let isPlaying = connection.status.jack.transport.isPlaying
    let isOurs = connection.keeper.owner.isMe
    if isOurs, isPlaying { report.yield(.leavingWhileRolling) }
    await requests.leave(
      connection.client, givingUpTimebase: isOurs && !isPlaying,
      syncTimeout: longestHold == nil ? nil : Bridge.slowClients)
    // Release the claim only after the client is closed, so that a standby bridge does not overlap.
    requests.claim.release()
    connection.service = .ended
    waits.look()
  }
}

// MARK: - Waiting

extension Bridge {
  /// Waits until a condition holds, which is looked at when a cycle or Link's writer has woken the bridge, and when a
  /// client has left; no longer than for so long, and not in a task that is cancelled.
  private func wait(atMost time: HostInterval, until condition: @escaping () -> Bool) async {
    guard !condition() else { return }
    let (number, queue) = (waits.begin(), queue)
    let end: @Sendable () -> Void = { [weak self] in self?.assumeIsolated { $0.waits.end(number) } }
    queue.run(after: time, end)
    await withTaskCancellationHandler {
      await withCheckedContinuation { waits.wait(number, until: condition, $0) }
    } onCancel: {
      queue.run(end)
    }
  }
}

// MARK: - Being another

extension Bridge {
  /// How long a reopening waits for the client to leave: a server that hangs must not hold the caller.
  private static let farewell = HostInterval.seconds(2)

  /// Leaves the server and the session, and comes back as another client, by another configuration: as when a
  /// session manager switches to another session. The server stays the same, whichever that configuration
  /// names.
  ///
  /// Returns when the client has left, or after two seconds. Thread-safe. Realtime-safe: no.
  public func reopen(_ configuration: BridgeConfiguration) async {
    self.configuration = configuration
    tempos = Tempos(configuration)
    session.link.setStartStopSyncEnabled(configuration.reconciler.choices.startStopSync != .off)
    await leaveServer()
  }

  /// Leaves the server and the session, until ``resume()``: a client that is stopped has JACK miss each cycle.
  ///
  /// Returns when the client has left, or after two seconds. Thread-safe. Realtime-safe: no.
  public func pause() async {
    openings.isPaused = true
    await leaveServer()
  }

  /// Joins both again after ``pause()``. Calling it otherwise does no harm. Thread-safe. Realtime-safe: no.
  public func resume() { openings.isPaused = false }

  private func leaveServer() async {
    openings.reopenings += 1
    // A client that is still being opened leaves as soon as it is open.
    guard let connection, case .following = connection.service else { return }
    connection.end()
    await wait(atMost: Bridge.farewell) { if case .ended = connection.service { true } else { false } }
  }
}

// MARK: - Serving

extension Bridge {
  enum Outcome: Sendable {
    case goOn
    case serverGone
  }

  private func handle(_ event: ServerEvent) -> Outcome {
    switch event {
    case .shutdown(let reason):
      report.yield(.serverGone(reason: reason))
      connection?.keeper.serverGone()
      return .serverGone
    case .sampleRateChanged(let rate):
      // The cycle goes by it already.
      report.yield(.sampleRateChanged(rate))
      updateLatency()
    case .bufferSizeChanged, .latencyChanged:
      updateLatency()
    case .graphOrderChanged:
      updateLatency()
      clients.look(at: connection?.client)
      lookForConnections()
    case .portsChanged:
      clients.look(at: connection?.client)
    case .clientLeft:
      connection?.hasLostClient = true
      clients.look(at: connection?.client)
    case .freewheel:
      break
    }
    return .goOn
  }

  /// Checks states that no event reports: again and again while the bridge runs.
  private func scheduleCheck() {
    let interval =
      connection.map { $0.standstill.isSilent ? Bridge.calm : $0.keeper.checkInterval } ?? Bridge.calm
    queue.run(after: interval) { [weak self] in
      self?.assumeIsolated { bridge in
        if case .idle = bridge.life { return }
        bridge.reportNotices()
        bridge.happened(.checkDue)
        bridge.tellDepartures()
        bridge.lookForSleep()
        // Its file may have been removed, as at a logout.
        if bridge.connection != nil { _ = bridge.requests.claim.takeAgain() }
        bridge.lookForCycles()
        bridge.lookForConnections()
        bridge.scheduleCheck()
      }
    }
  }

  /// After the machine has slept, Link's data about its peers' clocks is wrong, and no peer knows the bridge
  /// any more: it joins the session like a new peer.
  private func lookForSleep() {
    guard let slept = session.hasSlept(), connection != nil else { return }
    report.yield(.resumed(after: slept))
    session.leave()
    if configuration.isLinkEnabled { session.join(settling: Bridge.waking) }
  }

  /// Without cycles the status does not change: a notice reports that instead. Where the server goes on
  /// without the client, the bridge opens another.
  private func lookForCycles() {
    guard let connection else { return }
    let client = connection.client
    let server = client.pace.map {
      StandstillWatch.Server(pace: $0, rate: client.sampleRate, xruns: client.xrunCount)
    }
    let latest = connection.status.song.time
    switch connection.standstill.look(latest, at: session.link.now(), server: server) {
    case .stopped: report.yield(.cyclesStopped)
    case .goesOn: report.yield(.cyclesResumed)
    case .leftOut:
      report.yield(.leftOut)
      openings.reopenings += 1
      connection.end()
    case nil: break
    }
  }

  /// Remembers the connections of the ports, and restores those of an earlier client.
  private func lookForConnections() {
    guard let client = connection?.client else { return }
    var ports: [String] = []
    if configuration.midiClock.mode != .off { ports.append(MIDIClockPort.name) }
    if configuration.click.mode != .off { ports.append(ClickPort.name) }
    let connected = ports.flatMap { port in
      client.connections(of: port).map { PortMemory.Cable(port: port, other: $0) }
    }
    let due = cables.look(at: Set(connected)) { client.hasPort($0) }
    guard !due.isEmpty else { return }
    Task {
      await requests.connect(due, of: client)
      cables.haveBeenTried()
    }
  }

  /// However many clients have left meanwhile, one command is enough, and leaves room for the user's.
  private func tellDepartures() {
    guard let connection, connection.hasLostClient, connection.give(.clientLeft, by: choices) else { return }
    connection.hasLostClient = false
  }

  /// The cycle has notices or requests.
  private func attendToCycle() {
    reportNotices()
    attendToLaunch(isAppointed: false)
    waits.look()
  }

  /// Reports what the cycles have noticed, and what holds.
  func reportNotices() {
    guard let current = connection else { return }
    let now = session.link.now()
    while let notice = current.channels.notices.reader.pop() {
      if case .startTakenBack = notice { happened(.positionChanged) }
      if let event = current.reports.take(notice, at: now) { report.yield(event) }
      if let event = current.reports.transport(at: .now) { report.yield(event) }
    }
    let status = current.status
    // The cycle sees a change of owner first.
    if current.reports.leaderHasChanged(to: status.reconciler.leader) { happened(.checkDue) }
    for event in current.reports.due(status, xruns: current.client.xrunCount, at: now, .now) {
      report.yield(event)
      if case .grid = event { happened(.checkDue) }
    }
  }
}
