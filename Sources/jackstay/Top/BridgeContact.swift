import Control
import Dispatch
import Host
import JSON
import Settings
import Synchronization

/// The dashboard's connection with a bridge, which outlives the bridge.
///
/// The user of the screen does not wait for a bridge that hangs: threads of its own ask, one for the status,
/// the other for the events.
///
/// Thread-safe.
final class BridgeContact: Sendable {
  /// How often it is asked for its status: all that moves between two answers is known from tempo and time.
  private static let interval = DispatchTimeInterval.milliseconds(100)
  /// How often a bridge that has gone is looked for.
  private static let retry = DispatchTimeInterval.milliseconds(250)
  /// How long a key may wait for the bridge, in microseconds.
  private static let patience = 2e6
  /// How many keys may wait for a bridge that does not answer.
  private static let mostCommands = 16

  /// The name of the bridge.
  let name: String
  private let places: ControlPlaces
  private let state = Mutex(State())
  private let work = DispatchSemaphore(value: 0)

  private struct State {
    /// With the time from which on each is not to be carried out any more.
    var commands: [(line: String, end: Double)] = []
    var news: [News] = []
    var isGone = false
    var lastAnswer = ContinuousClock.now
  }

  /// Something that the bridge has said.
  enum News: Sendable {
    case status(JSONObject)
    case event(String)
    case reply(String)
  }

  /// Looks for the bridge called `name`, or for the only one there is, and stays with that.
  init(name: String?, in places: ControlPlaces) throws(ControlError) {
    self.places = places
    self.name = try ControlClient(name: name, in: places).name
    let isStarted =
      DetachedThread.start { [self] in whileConnected(ask) }
      && DetachedThread.start { [self] in whileConnected(watch) }
    guard isStarted else { throw .noThread("the bridge is not shown") }
  }

  /// Has the bridge told something soon, or not at all.
  func tell(_ command: String) {
    let end = ControlProtocol.now + Self.patience
    state.withLock { state in
      if state.commands.count < Self.mostCommands { state.commands.append((command, end)) }
    }
    work.signal()
  }

  /// The news of the bridge since the last call, and how it can be reached.
  func take() -> ([News], Dashboard.Contact) {
    state.withLock { state in
      defer { state.news = [] }
      let silence = ContinuousClock.now - state.lastAnswer
      return (
        state.news, state.isGone ? .gone : silence > .seconds(1) ? .silent(silence / .seconds(1)) : .answers
      )
    }
  }

  /// Connects, and again whenever the connection has ended.
  private func whileConnected(_ body: (ControlClient) throws(ControlError) -> Void) {
    while true {
      connect(body)
      _ = DispatchSemaphore(value: 0).wait(timeout: .now() + Self.retry)
      lookWhetherGone()
    }
  }

  // The body of a loop that never ends is a call each: with all modules in sight the optimiser would look for
  // work to take out of the loop, for many minutes.

  /// Does something with a connection until that has ended.
  @inline(never)
  private func connect(_ body: (ControlClient) throws(ControlError) -> Void) {
    do throws(ControlError) {
      let client = try ControlClient(name: name, in: places)
      try body(client)
    } catch {
      state.withLock { $0.commands = [] }
    }
  }

  /// A bridge that is there but does not answer has not gone.
  @inline(never)
  private func lookWhetherGone() {
    let isThere = ControlClient.isRunning(name, in: places)
    state.withLock { $0.isGone = !isThere }
  }

  /// Asks the bridge for its status, and sends it the commands, until it has gone.
  @inline(never)
  private func ask(_ client: ControlClient) throws(ControlError) {
    while true {
      let status = try client.ask("status")
      state.withLock { state in
        state.isGone = false
        state.lastAnswer = .now
        state.news.append(.status(status))
        // A screen in the background, which is not drawn, reads nothing.
        if state.news.count > 1000 { state.news.removeFirst(500) }
      }
      if case .timedOut = work.wait(timeout: .now() + Self.interval) { continue }
      while let (command, end) = state.withLock({ $0.commands.isEmpty ? nil : $0.commands.removeFirst() }) {
        let reply = ControlReply(try client.ask(command, before: end))
        let message = reply.isFailure || !reply.output.isEmpty ? ": \(reply.message)" : ""
        state.withLock { $0.news.append(.reply("\(command)\(message)")) }
      }
    }
  }

  /// Takes note of what happens until the bridge has gone.
  @inline(never)
  private func watch(_ client: ControlClient) throws(ControlError) {
    _ = try client.ask("watch")
    while let event = try client.nextEvent() {
      guard let text = ControlReply.text(of: event) else { continue }
      state.withLock { $0.news.append(.event(text)) }
    }
  }
}
