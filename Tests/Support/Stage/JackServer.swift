import CStage
import Foundation
import Glibc
import Synchronization

/// A JACK server with its dummy driver, that no other program finds: a `jackd` under a name of its own, or a
/// `pipewire` in a folder of its own.
///
/// It is realtime when the system permits it. It ends with the object, and its files, even those after it was
/// killed, go with it.
///
/// Thread-safe. Methods that wait block the calling thread.
public final class JackServer: Sendable {
  /// The kinds of servers.
  public enum Kind: String, Sendable, CaseIterable {
    /// jackd2's `jackd`.
    case jackd
    /// PipeWire, whose own `libjack` its clients are given. It has no session manager, and needs none.
    case pipewire

  }

  /// The kind of a server where a test names none: `jackd`, or the one in the variable `STAGE_SERVER`.
  @TaskLocal public static var usual =
    ProcessInfo.processInfo.environment["STAGE_SERVER"].flatMap(Kind.init(rawValue:)) ?? .jackd

  /// Its kind.
  public let kind: Kind
  /// The name clients find it by.
  public let name: String
  /// Frames per period.
  public let period: Int
  /// Frames per second, nominally.
  public let sampleRate: Int
  /// How much faster than the system's clock its sound card runs, in millionths.
  public let drift: Double
  /// How many ports there can be; nil is as many as `jackd` has by default.
  public let ports: Int?
  /// The server whose transport and cycles it follows over the network, as a slave of netjack's; nil for one of its
  /// own.
  public let leader: JackServer?

  private struct State {
    var child: Child?
    /// The client of the leader's that sends this one its cycles.
    var source: Child?
    var isUntidy = false
  }
  private let state = Monitor(State())
  private static let count = Atomic<Int>(0)

  /// Describes a server that ``start(timeout:)`` starts. Drift, a bound of ports and a leader are for `jackd` only.
  /// One server of a process at a time can follow another.
  public init(
    _ kind: Kind = .jackd, period: Int = 256, sampleRate: Int = 48000, drift: Double = 0, ports: Int? = nil,
    following leader: JackServer? = nil
  ) {
    self.kind = kind
    let number = JackServer.count.wrappingAdd(1, ordering: .relaxed).newValue
    let salt = String(UInt16.random(in: .min ... .max), radix: 16)
    name = "stage-\(getpid())-\(number)-\(salt)"
    self.period = period
    self.sampleRate = sampleRate
    self.drift = drift
    self.ports = ports
    self.leader = leader
  }

  /// A server that clients can connect to.
  public static func started(
    _ kind: Kind = .jackd, period: Int = 256, sampleRate: Int = 48000, drift: Double = 0, ports: Int? = nil
  ) throws(StageError) -> JackServer {
    let server = JackServer(kind, period: period, sampleRate: sampleRate, drift: drift, ports: ports)
    try server.start()
    return server
  }

  deinit {
    terminate()
    if state.read({ $0.isUntidy }) { tidy() }
    removeFiles()
  }

  /// The variables that a client needs in its environment to find this server and to start no other.
  public var environment: [String: String?] {
    switch kind {
    case .jackd:
      [
        "JACK_DEFAULT_SERVER": name, "JACK_NO_START_SERVER": "1",
        "JACK_PROMISCUOUS_SERVER": nil,  // changes the names of a server's files
      ]
    case .pipewire:
      [
        // Not `XDG_RUNTIME_DIR`, where programs keep more than their way to PipeWire: each has one of its own.
        "PIPEWIRE_RUNTIME_DIR": folder, "PIPEWIRE_REMOTE": nil,
        "JACK_DEFAULT_SERVER": nil, "LD_LIBRARY_PATH": JackServer.pipewireLibraries,
        // Each client asks for the period, as there is no session manager that sets it.
        "PIPEWIRE_QUANTUM": "\(period)/\(sampleRate)",
      ]
    }
  }

  /// Where it takes clients in.
  var socketPath: String {
    switch kind {
    case .jackd: "/dev/shm/jack_\(name)_\(getuid())_0"
    case .pipewire: "\(folder)/pipewire-0"
    }
  }

  /// The folder where a PipeWire of the test's keeps its socket.
  private var folder: String { NSTemporaryDirectory() + name }

  /// Where Debian keeps PipeWire's `libjack`, which is to come before jackd2's.
  private static let pipewireLibraries: String? = {
    let libraries = "/usr/lib"
    let machines = (try? FileManager.default.contentsOfDirectory(atPath: libraries)) ?? []
    return machines.map { "\(libraries)/\($0)/pipewire-0.3/jack" }.first {
      FileManager.default.fileExists(atPath: $0 + "/libjack.so.0")
    }
  }()

  // MARK: Life

  /// Starts it, for the first time or again, and returns when clients can connect.
  public func start(timeout: Duration = .seconds(30)) throws(StageError) {
    guard !isRunning else { throw .unusable("JACK server \(name) is running") }
    let child = try launch()
    let source = try leader.map { leader throws(StageError) in
      try Child("jack_netsource", ["-H", "127.0.0.1", "-i", "0", "-o", "0"], environment: leader.environment)
    }
    state.change { $0 = State(child: child, source: source, isUntidy: false) }
    try awaitSocket(of: child, timeout)
  }

  /// Ends it in order; its clients get its shutdown.
  @discardableResult public func terminate() -> ExitStatus? {
    guard let child = state.read({ $0.child }) else { return nil }
    state.read { $0.source }?.terminate(grace: JackServer.grace)
    let status = child.terminate(grace: JackServer.grace)
    // It has crashed, or has had to be killed.
    if case .signalled = status { state.change { $0.isUntidy = true } }
    return status
  }

  /// Ends it as a crash does: its clients get no shutdown, its files stay until the next start.
  @discardableResult public func kill() -> ExitStatus? {
    guard let child = state.read({ $0.child }) else { return nil }
    if child.isRunning { state.change { $0.isUntidy = true } }
    return child.kill()
  }

  /// Stops all its threads where they are, as a machine that hangs does.
  public func suspend() throws(StageError) {
    guard let child = state.read({ $0.child }), child.signal(SIGSTOP) else {
      throw .unusable("JACK server \(name) is not running")
    }
    let deadline = Deadline.after(.seconds(10))
    while Child.state(of: child.pid) != "T" {
      guard !deadline.hasPassed else {
        throw .timedOut(awaiting: "suspension of \(name)", transcript: "")
      }
      usleep(500)
    }
  }

  /// Lets a suspended one go on.
  public func resume() { state.read { _ = $0.child?.signal(SIGCONT) } }

  /// Whether it has been started and has not ended; a suspended one runs.
  public var isRunning: Bool { state.read { $0.child?.isRunning ?? false } }

  /// The process id of the last start.
  public var pid: pid_t? { state.read { $0.child?.pid } }

  /// All output since its last start.
  public var log: String {
    state.read { state in
      guard let child = state.child else { return "" }
      return child.text(of: .output) + child.text(of: .errors)
    }
  }

  // MARK: Details

  private func launch() throws(StageError) -> Child {
    switch kind {
    case .jackd: try launchJackd()
    case .pipewire: try launchPipeWire()
    }
  }

  private func launchPipeWire() throws(StageError) -> Child {
    guard JackServer.pipewireLibraries != nil else {
      throw .unusable("PipeWire's libjack is not installed: `make setup` installs it")
    }
    guard mkdir(folder, 0o700) == 0 || errno == EEXIST else {
      throw .unusable("\(folder) cannot be made: \(String(cString: strerror(errno)))")
    }
    return try Child("pipewire", [], environment: environment)
  }

  private func launchJackd() throws(StageError) -> Child {
    removeDatabaseOfNone()
    var environment = environment
    environment["JACK_NO_AUDIO_RESERVATION"] = "1"
    if drift != 0 {
      environment["LD_PRELOAD"] = try Interposer.drift()
      environment["DRIFT_PPM"] = "\(drift)"
    }
    let limits = ports.map { ["-p", "\($0)"] } ?? []
    let driver =
      if case .some = leader { ["-d", "netone"] } else {
        ["-d", "dummy", "-r", "\(sampleRate)", "-p", "\(period)"]
      }
    return try Child("jackd", ["-n", name] + limits + driver, environment: environment)
  }

  /// Removes the database of jackd2's metadata where no server runs, which would have removed it as it ended.
  ///
  /// All servers and clients of a user share it. A client that is killed while it makes one, or that makes one while a
  /// server removes it, leaves a part, and every `jackd` that is started then ends with a bus error.
  private func removeDatabaseOfNone() {
    let sockets = ((try? FileManager.default.contentsOfDirectory(atPath: "/dev/shm")) ?? [])
      .filter { $0.hasPrefix("jack_") && $0.hasSuffix("_\(getuid())_0") }
    guard !sockets.contains(where: { stage_is_listening("/dev/shm/\($0)") != 0 }) else { return }
    try? FileManager.default.removeItem(atPath: "/dev/shm/jack_db-\(getuid())")
  }

  /// The socket is opened after the driver; a client that connects before the first cycle is kept waiting.
  /// Its file alone is no proof: a killed server leaves one.
  private func awaitSocket(of child: Child, _ timeout: Duration) throws(StageError) {
    let path = socketPath
    let deadline = Deadline.after(timeout)
    while stage_is_listening(path) == 0 {
      if let status = child.status {
        throw .ended(awaiting: "JACK server \(name)", status: status, transcript: log)
      }
      guard !deadline.hasPassed else {
        throw .timedOut(awaiting: "JACK server \(name)", transcript: log)
      }
      usleep(2000)
    }
  }

  /// JACK's registry has eight places and a killed server keeps its own until a server of the same name ends
  /// in order.
  private func tidy() {
    guard kind == .jackd, let last = try? launch() else { return }
    try? awaitSocket(of: last, .seconds(30))
    last.terminate(grace: JackServer.grace)
  }

  /// How long a server may take to end in order. On a machine that does much besides it takes seconds, and if it is
  /// killed its place in the registry is lost to all tests of the process.
  private static let grace = Duration.seconds(20)

  /// Removes files of clients that were killed; the name is this server's only.
  private func removeFiles() {
    guard kind == .jackd else {
      try? FileManager.default.removeItem(atPath: folder)
      return
    }
    let own = ["jack_\(name)_", "jack_sem.\(getuid())_\(name)_"]
    for file in (try? FileManager.default.contentsOfDirectory(atPath: "/dev/shm")) ?? []
    where own.contains(where: file.hasPrefix) {
      unlink("/dev/shm/\(file)")
    }
  }
}
