import Glibc
import JSON
import Words

/// A connection with a running bridge.
///
/// Not thread-safe. Realtime-safe: no; it waits for the bridge.
public final class ControlClient {
  /// The bridge's name.
  public let name: String
  private let descriptor: Int32
  private var lines = LineReader(longest: ControlClient.longest)
  private var waiting: [LineReader.Line] = []

  /// The longest line that a bridge sends, in bytes.
  private static let longest = 64 * 1024
  /// How long a bridge may take to answer, in seconds.
  private static let patience = 5

  /// Connects with the running bridge called `name`, or without a name with the only one there is.
  ///
  /// Without a name bridges that stand by are passed over where another one does not.
  public init(name: String?, in places: ControlPlaces) throws(ControlError) {
    var running = try ControlClient.running(name, in: places)
    if running.count > 1 {
      let working = running.filter { !$0.isStandingBy }
      if !working.isEmpty { running = working }
    }
    guard let found = running.first else { throw ControlClient.nobody(called: name) }
    guard running.count == 1 else {
      let names = running.map(\.name).joined(separator: ", ").echoed(limit: 200)
      throw ControlError(
        "\(running.count) bridges run: \(names); choose one with --name", reason: .severalRun)
    }
    (self.name, descriptor) = (found.name, found.takeDescriptor())
    try greet()
  }

  /// One of the bridges that run, by another connection.
  private init(beside bridge: Running, patience: Int) throws(ControlError) {
    guard let descriptor = ControlClient.open(bridge.path, patience: patience) else {
      throw ControlClient.nobody(called: bridge.name)
    }
    (name, self.descriptor) = (bridge.name, descriptor)
    try greet()
  }

  /// The names of the bridges that run, by the system's numbers of their processes. None of them is greeted.
  public static func processes(in places: ControlPlaces) -> [Int32: String] {
    var names: [Int32: String] = [:]
    for bridge in (try? running(nil, in: places)) ?? [] {
      if let process = bridge.process { names[process] = bridge.name }
    }
    return names
  }

  /// Whether there is a bridge called `name`, answers or not. It is not greeted.
  public static func isRunning(_ name: String, in places: ControlPlaces) -> Bool {
    places.folders.contains { isRunning(name, in: $0) }
  }

  /// Whether there is a bridge called `name` in one folder, answers or not. It is not greeted.
  static func isRunning(_ name: String, in folder: ControlFolder) -> Bool {
    guard let names = try? folder.socketNames(), names.contains(name) else { return false }
    return Running(name, at: folder.socketPath(of: name)) != nil
  }

  /// A bridge that runs, and a connection with it, which closes with the object unless it is taken.
  private final class Running {
    let name: String
    let path: String
    private var descriptor: Int32?

    /// `nil` where no process of this user's listens.
    init?(_ name: String, at path: String) {
      guard let descriptor = ControlClient.open(path) else { return nil }
      (self.name, self.path, self.descriptor) = (name, path, descriptor)
    }

    deinit { if let descriptor { Glibc.close(descriptor) } }

    /// The system's number of its process; `nil` where the kernel does not report it.
    var process: Int32? { descriptor.flatMap { UnixSocket.process(of: $0) } }

    func takeDescriptor() -> Int32 {
      defer { descriptor = nil }
      return descriptor ?? -1
    }

    /// Whether its status is that it stands by for another one. A bridge that does not answer counts as one
    /// that does not.
    var isStandingBy: Bool {
      let status = try? ControlClient(beside: self, patience: 1).ask("status")
      return status?["state"] == "standing_by"
    }
  }

  /// All bridges that run, or those called `name`. Throws where there is none, and a folder cannot be looked into.
  private static func running(_ wanted: String?, in places: ControlPlaces) throws(ControlError) -> [Running] {
    var running: [Running] = []
    var reason: ControlError?
    for folder in places.folders {
      do throws(ControlError) {
        for name in try folder.socketNames() where wanted == nil || name == wanted {
          if let bridge = Running(name, at: folder.socketPath(of: name)) { running.append(bridge) }
        }
      } catch {
        reason = reason ?? error
      }
    }
    if running.isEmpty, let reason { throw reason }
    return running
  }

  deinit { Glibc.close(descriptor) }

  /// Has the bridge do `command`, in the words of standard input, and returns its answer.
  ///
  /// A bridge that takes longer than this waits does not carry it out.
  ///
  /// - Parameters:
  ///   - command: The command.
  ///   - end: From when on it is not to be carried out, in microseconds of ``ControlProtocol/now``; `nil` for when this
  ///     stops waiting.
  /// - Returns: The answer.
  /// - Throws: ``ControlError`` when there is none.
  public func ask(_ command: String, before end: Double? = nil) throws(ControlError) -> JSONObject {
    let end = end ?? ControlProtocol.now + Double(ControlClient.patience) * 1e6
    let request: JSONObject = ["command": .string(command), "before_us": .number(end.rounded())]
    guard UnixSocket.sendAll(descriptor, Array((request.line + "\n").utf8)) else { throw failure(errno) }
    guard let answer = try next() else { throw ended() }
    return answer
  }

  /// The next line that the bridge sends, as long as that takes; `nil` when it has ended.
  public func nextEvent() throws(ControlError) -> JSONObject? {
    UnixSocket.setTimeout(descriptor, seconds: 0)
    return try next()
  }

  private func greet() throws(ControlError) {
    guard let greeting = try next() else { throw ended() }
    let version = greeting["protocol"]?.number
    guard version == Double(ControlProtocol.version) else {
      throw ControlError(
        """
        the bridge "\(name.echoed())" speaks another language (protocol \(version.flatMap { Int(exactly: $0) }.map(String.init) ?? "unknown"), \
        expected \(ControlProtocol.version)); use the jackstay that it was started with
        """)
    }
  }

  private func next() throws(ControlError) -> JSONObject? {
    var bytes = [UInt8](repeating: 0, count: 16 * 1024)
    while waiting.isEmpty {
      let count = UnixSocket.receive(descriptor, into: &bytes)
      if count < 0, errno == EINTR { continue }
      if count == 0 || (count < 0 && errno == ECONNRESET) { return nil }
      guard count > 0 else { throw failure(errno) }
      waiting = lines.take(bytes[..<count])
    }
    let line = waiting.removeFirst()
    guard !line.isTooLong, let object = try? JSONObject(parsing: line.bytes) else {
      throw ControlError(
        "the bridge \"\(name.echoed())\" sent what was not expected; use the jackstay it was started with")
    }
    return object
  }

  /// The error for a call that the system has refused.
  private func failure(_ number: Int32) -> ControlError {
    let bridge = "the bridge \"\(name.echoed())\""
    return switch number {
    case EPIPE, ECONNRESET: ended()
    case EAGAIN: ControlError("\(bridge) does not answer; end it, and start it again")
    default: ControlError("\(bridge) cannot be reached", errno: number, "end other programs, and try again")
    }
  }

  private func ended() -> ControlError {
    ControlError("the bridge \"\(name.echoed())\" has ended; start it again")
  }

  private static func nobody(called name: String?) -> ControlError {
    guard let name else {
      return ControlError("no bridge runs; start one with: jackstay", reason: .noneRuns)
    }
    return ControlError(
      "no bridge called \"\(name.echoed())\" runs; start one with: jackstay --name \(name.echoed())",
      reason: .noneRuns)
  }

  /// A connection with the process that listens at `path`; `nil` if none of this user's does.
  private static func open(_ path: String, patience: Int = patience) -> Int32? {
    let descriptor = UnixSocket.make(isBlocking: true)
    guard descriptor >= 0 else { return nil }
    UnixSocket.setTimeout(descriptor, seconds: patience)
    guard UnixSocket.connect(descriptor, to: path) == 0, UnixSocket.user(of: descriptor) == getuid() else {
      Glibc.close(descriptor)
      return nil
    }
    return descriptor
  }
}
