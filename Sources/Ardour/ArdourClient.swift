import Dispatch
import Glibc
import Host
import MusicalTime
import Synchronization

/// Follows one Ardour over its WebSockets surface: connects as soon as there is one, and again where that ends.
///
/// One thread, which waits without a time as long as there is no Ardour. Thread-safe. Realtime-safe: no.
public final class ArdourClient: Sendable {
  /// Where Ardour is looked for.
  public enum Place: Sendable, Hashable {
    /// At its usual port on this machine, as long as JACK has a client of its.
    case automatic
    /// There.
    case at(ListenAddress)

    /// The port that Ardour listens at.
    public static let usualPort: UInt16 = 3818

    /// Where to connect to.
    public var address: ListenAddress {
      switch self {
      case .automatic: .loopback(Self.usualPort)
      case .at(let address): address
      }
    }
  }

  /// How things are.
  public struct Status: Sendable, Hashable {
    /// Whether there is a connection, or why not.
    public enum Standing: Sendable, Hashable {
      /// JACK has no client of Ardour's.
      case absent
      /// There is one, whose surface does not answer.
      case silent
      /// Ardour has the session's tempo.
      case connected
      /// Ardour is left alone, because its tempo map is not one tempo.
      case leftAlone
    }

    /// Whether there is a connection, or why not.
    public var standing = Standing.absent
    /// Ardour's tempo.
    public var tempo: Double?
    /// Whether recording is on.
    public var isRecording: Bool?
    /// How many messages were none.
    public var malformed = 0
  }

  /// Something that people should know.
  public enum News: Sendable, Hashable {
    /// There is a connection.
    case connected(ListenAddress)
    /// There is none yet. It is tried again.
    case unreachable(ListenAddress, ArdourFault)
    /// It has ended. It is tried again.
    case lost(ArdourFault)
    /// Something about tempo or recording.
    case sync(ArdourSync.News)
  }

  /// How long after so many attempts in vain the next one is made.
  private static let waits: [Duration] = [.seconds(1), .seconds(2), .seconds(5), .seconds(10)]

  /// How many attempts may fail without a word where Ardour has just come: its surfaces begin after its client.
  private static let quietFailures = 2
  /// How long a connection has to last for the next attempt to be no later than after the first one.
  private static let stable = Duration.seconds(10)

  private let place: Place
  private let thread: PollThread
  private let inbox = Mutex(Inbox())
  private let shown = Mutex(Status())
  private let ask: @Sendable (ArdourSync.Wish) -> Void
  private let report: @Sendable (News) -> Void
  private let openings: AsyncStream<Void>.Continuation
  /// A value for each connection that is made.
  public let connections: AsyncStream<Void>

  /// The news of others, until the thread has taken them.
  private struct Inbox {
    var isHere = false
    var session: ArdourSync.Session?
    var record: Bool?
  }

  /// Looks for Ardour at a place; `nil` where the system has no thread left.
  ///
  /// - Parameters:
  ///   - place: The place.
  ///   - ask: Gets what the bridge is asked for, on this client's thread.
  ///   - report: Gets what people should know, likewise.
  public init?(
    _ place: Place, ask: @escaping @Sendable (ArdourSync.Wish) -> Void,
    report: @escaping @Sendable (News) -> Void
  ) {
    guard let thread = PollThread() else { return nil }
    (self.place, self.thread, self.ask, self.report) = (place, thread, ask, report)
    (connections, openings) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    guard thread.begin({ [self] in serve() }) else { return nil }
  }

  /// How things are.
  public var status: Status { shown.withLock { $0 } }

  /// Whether Ardour can be commanded.
  public var isConnected: Bool {
    switch status.standing {
    case .connected, .leftAlone: true
    case .absent, .silent: false
    }
  }

  /// JACK has a client of Ardour's, or none.
  public func ardourIs(here isHere: Bool) {
    let isNew = inbox.withLock { inbox in
      defer { inbox.isHere = isHere }
      return inbox.isHere != isHere
    }
    if isNew { thread.call() }
  }

  /// The bridge's side is so; `nil` while there is none.
  public func sessionIs(_ session: ArdourSync.Session?) {
    let isNew = inbox.withLock { inbox in
      defer { inbox.session = session }
      return inbox.session != session
    }
    if isNew, isConnected { thread.call() }
  }

  /// Switches recording on or off; false where there is no Ardour to do so.
  public func record(_ isOn: Bool) -> Bool {
    guard isConnected else { return false }
    inbox.withLock { $0.record = isOn }
    thread.call()
    return true
  }

  /// Ends the connection, and waits for the thread's end, but no longer than `timeout`.
  public func finish(within timeout: DispatchTimeInterval) {
    thread.end(within: timeout)
    openings.finish()
  }

  // MARK: The thread

  /// The state that only the thread knows.
  private struct Course {
    var connection: ArdourConnection?
    var sync = ArdourSync()
    /// When it is tried again to connect.
    var retry = Duration.zero
    var failures = 0
    /// When the last connection was made.
    var begun = Duration.zero
    /// Whether a report was made that Ardour does not answer.
    var isTold = false
  }

  private func serve() {
    let clock = ContinuousClock()
    let origin = clock.now
    var course = Course()
    var happened: Int16 = 0
    repeat {
      let now = clock.now - origin
      let isWanted = place != .automatic || inbox.withLock { $0.isHere }
      if isWanted { attend(&course, happened, now) } else { forget(&course) }
      show(course, isWanted)
      var wishes = course.connection.map { [pollfd(fd: $0.descriptor, events: $0.events, revents: 0)] } ?? []
      let due = isWanted ? dueTime(course) : nil
      guard thread.wait(for: &wishes, atMost: due.map { max(.zero, $0 - (clock.now - origin)) }) else {
        break
      }
      happened = wishes.first?.revents ?? 0
    } while true
    course.connection?.end()
  }

  private func dueTime(_ course: Course) -> Duration {
    guard let connection = course.connection else { return course.retry }
    guard connection.isOpen, let next = course.sync.nextTime else { return connection.dueTime }
    return min(next, connection.dueTime)
  }

  /// Ardour has gone, and so has the reason to connect.
  private func forget(_ course: inout Course) {
    course.connection?.end()
    course = Course()
  }

  private func attend(_ course: inout Course, _ happened: Int16, _ now: Duration) {
    let wasOpen = course.connection?.isOpen ?? false
    do throws(ArdourFault) {
      guard let connection = course.connection else {
        guard now >= course.retry else { return }
        course.connection = try ArdourConnection(to: place.address, at: now)
        return
      }
      let texts = try connection.proceed(happened, at: now)
      if connection.isOpen, !wasOpen { begin(&course, now) }
      if connection.isOpen { try converse(&course, connection, texts, now) }
      if connection.isClosed { throw .closed }
    } catch {
      course.connection = nil
      if wasOpen {
        report(.lost(error))
        if now - course.begun > Self.stable { course.failures = 0 }
      } else if !course.isTold, place != .automatic || course.failures >= Self.quietFailures {
        course.isTold = true
        report(.unreachable(place.address, error))
      }
      course.retry = now + Self.waits[min(course.failures, Self.waits.count - 1)]
      course.failures += 1
    }
  }

  private func begin(_ course: inout Course, _ now: Duration) {
    course.sync = ArdourSync()
    (course.begun, course.isTold) = (now, false)
    // The last state of the session may be long ago.
    inbox.withLock { ($0.session, $0.record) = (nil, nil) }
    shown.withLock { $0.standing = .connected }
    report(.connected(place.address))
    openings.yield()
  }

  private func converse(
    _ course: inout Course, _ connection: ArdourConnection, _ texts: [[UInt8]], _ now: Duration
  ) throws(ArdourFault) {
    let (session, record) = inbox.withLock { inbox in (inbox.session, inbox.record.take()) }
    var actions = course.sync.sessionIs(session, at: now)
    for text in texts {
      guard let message = ArdourMessage(text) else {
        shown.withLock { $0.malformed += 1 }
        continue
      }
      actions += course.sync.received(message, at: now)
    }
    if let record { actions += course.sync.record(record, at: now) }
    actions += course.sync.timePassed(at: now)
    for action in actions {
      switch action {
      case .send(let request): connection.send(request)
      case .ask(let wish): ask(wish)
      case .tell(let news): report(.sync(news))
      }
    }
    try connection.flush()
  }

  private func show(_ course: Course, _ isWanted: Bool) {
    shown.withLock { shown in
      let isOpen = course.connection?.isOpen ?? false
      shown.standing =
        !isWanted ? .absent : !isOpen ? .silent : course.sync.isMixed ? .leftAlone : .connected
      shown.tempo = isOpen ? course.sync.tempo : nil
      shown.isRecording = isOpen ? course.sync.isRecording : nil
    }
  }
}
