import CStage
import Foundation
import Glibc

/// A program run as a child of this process, with all its output kept.
///
/// The child ends with the object, and with this process however that ends.
///
/// Thread-safe. Methods that wait block the calling thread.
public final class Child: Sendable {
  /// The child's standard streams.
  public enum Streams: Sendable {
    /// Nothing to read; output and errors are captured.
    case noInput
    /// Input comes from ``Child/write(_:)``; output and errors are captured.
    case pipes
    /// Input and output are a terminal of 120 columns and 30 rows; errors are captured apart.
    case terminal
    /// All three are a terminal of 120 columns and 30 rows.
    case terminalWithErrors
  }

  /// A stream the child writes to.
  public enum Stream: Sendable {
    /// Standard output, or the terminal.
    case output
    /// Standard error.
    case errors
  }

  /// A complete line of a stream.
  public struct Line: Sendable, Equatable {
    /// How many lines of the stream were before it.
    public let index: Int
    /// The line without its end.
    public let text: String
  }

  /// The program's path.
  public let program: String
  /// The process id.
  public let pid: pid_t

  /// Where it keeps its sockets; nil when its environment says another place.
  private let runtimeFolder: RuntimeFolder?
  private let record: Monitor<ChildRecord>
  private let input: Monitor<Int32>

  /// Starts a program, looked up in `PATH` unless it is a path.
  ///
  /// - Parameters:
  ///   - program: The program.
  ///   - arguments: Its arguments, without its name.
  ///   - environment: Variables that differ from this process's; nil removes one. Unless `XDG_RUNTIME_DIR` is
  ///     among them it is a folder of the child's own.
  ///   - directory: The working directory, this process's when nil.
  ///   - streams: Its standard streams.
  /// - Throws: ``StageError`` when the process is not isolated or the program cannot be run.
  public convenience init(
    _ program: String, _ arguments: [String] = [], environment: [String: String?] = [:],
    directory: String? = nil, streams: Streams = .noInput
  ) throws(StageError) {
    try self.init(
      program, bytes: arguments.map { Array($0.utf8) }, environment: environment, directory: directory,
      streams: streams)
  }

  /// Starts a program as the other initializer does, with arguments that need not be text.
  public init(
    _ program: String, bytes arguments: [[UInt8]], environment: [String: String?] = [:],
    directory: String? = nil, streams: Streams = .noInput
  ) throws(StageError) {
    try Isolation.require()
    guard let path = Child.locate(program) else {
      throw .notStarted(program: program, step: "PATH", errorNumber: ENOENT)
    }
    var variables = ProcessInfo.processInfo.environment
    runtimeFolder = environment.keys.contains("XDG_RUNTIME_DIR") ? nil : try RuntimeFolder()
    for (name, value) in runtimeFolder?.environment ?? [:] { variables[name] = value }
    for (name, value) in environment { variables[name] = value }
    // A library that is loaded before all programs, as for ThreadSanitizer, is loaded before this one, too.
    if let own = environment["LD_PRELOAD"] ?? nil,
      let all = ProcessInfo.processInfo.environment["LD_PRELOAD"]
    {
      variables["LD_PRELOAD"] = "\(own) \(all)"
    }
    let launched = try Supervisor.shared.launch(
      Launch(
        program: path, arguments: arguments, environment: variables.map { "\($0)=\($1)" },
        directory: directory, streams: streams.raw))
    self.program = path
    pid = launched.record.read { $0.pid }
    record = launched.record
    input = Monitor(launched.input)
    Evidence.add(path, arguments, launched.record)
  }

  deinit {
    terminate()
    closeInput()
    Supervisor.shared.release(pid)
  }

  /// Where a program is found: itself when it is a path, the first of that name in `PATH` otherwise.
  public static func locate(_ program: String) -> String? {
    if program.contains("/") { return program }
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin").split(separator: ":")
    return folders.map { "\($0)/\(program)" }.first { access($0, X_OK) == 0 }
  }

  // MARK: Life

  /// How it ended; nil while it runs.
  public var status: ExitStatus? { record.read { $0.status } }

  /// Whether it has not ended; a suspended child runs.
  public var isRunning: Bool { status == nil }

  /// CPU time it used so far, in all its threads; nil after its end.
  public var cpuTime: Duration? {
    record.read { record in
      guard record.status == nil else { return nil }
      let nanoseconds = stage_cpu_time(record.pid)
      return nanoseconds < 0 ? nil : .nanoseconds(nanoseconds)
    }
  }

  /// Sends a signal; false when the child has ended.
  @discardableResult public func signal(_ number: Int32) -> Bool {
    // Under the lock: as long as there is no status the process id is the child's.
    record.read { $0.status == nil && Glibc.kill($0.pid, number) == 0 }
  }

  /// Waits for the end.
  public func wait(timeout: Duration = .seconds(30)) throws(StageError) -> ExitStatus {
    if let status = record.wait(until: .after(timeout), { $0.status }) { return status }
    throw .timedOut(awaiting: "end of \(program)", transcript: transcript)
  }

  /// Ends it: by SIGTERM, or by SIGKILL when it takes longer than the grace.
  @discardableResult public func terminate(grace: Duration = .seconds(2)) -> ExitStatus {
    if signal(SIGTERM) { signal(SIGCONT) }  // a suspended one cannot hear
    if let status = record.wait(until: .after(grace), { $0.status }) { return status }
    return kill()
  }

  /// Ends it by SIGKILL.
  @discardableResult public func kill() -> ExitStatus {
    signal(SIGKILL)
    while true {
      if let status = record.wait({ $0.status }) { return status }
    }
  }

  // MARK: Input

  /// Writes to its standard input, or types on its terminal.
  public func write(_ text: String) throws(StageError) {
    let program = program
    let error = input.read { descriptor in
      Array(text.utf8).withUnsafeBytes {
        descriptor < 0 ? EBADF : stage_write(descriptor, $0.baseAddress, $0.count)
      }
    }
    guard error == 0 else {
      throw .unusable("cannot write to \(program): \(String(cString: strerror(error)))")
    }
  }

  /// Ends its standard input.
  public func closeInput() {
    input.change { descriptor in
      if descriptor >= 0 { Glibc.close(descriptor) }
      descriptor = -1
    }
  }

  /// Makes its terminal wider or narrower, for which the system sends it a signal.
  public func resize(columns: Int) throws(StageError) {
    let isDone = input.read { descriptor in
      var size = winsize(ws_row: 30, ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
      return ioctl(descriptor, UInt(TIOCSWINSZ), &size) == 0
    }
    guard isDone else { throw .unusable("\(program) has no terminal") }
  }

  // MARK: Output

  /// All a stream gave so far, as it came.
  public func text(of stream: Stream = .output) -> String {
    record.read { $0[keyPath: stream.transcript].text }
  }

  /// The complete lines a stream gave so far.
  public func lines(of stream: Stream = .output) -> [String] {
    record.read { $0[keyPath: stream.transcript].lines }
  }

  /// Waits for a line that meets a condition.
  ///
  /// - Parameters:
  ///   - stream: Where the line is expected.
  ///   - first: The first line that counts.
  ///   - timeout: How long to wait at most.
  ///   - what: Names what is awaited in the error.
  ///   - condition: The condition of the line.
  /// - Returns: The first such line.
  /// - Throws: ``StageError`` when there is none in time or the child has ended without one.
  @discardableResult public func awaitLine(
    in stream: Stream = .output, from first: Int = 0, timeout: Duration = .seconds(20),
    _ what: String = "line", where condition: (String) -> Bool
  ) throws(StageError) -> Line {
    var next = first
    return try find(in: stream, timeout, what) { transcript in
      while next < transcript.lines.count {
        let line = Line(index: next, text: transcript.lines[next])
        if condition(line.text) { return line }
        next += 1
      }
      return nil
    }
  }

  /// Waits until the whole output of a stream so far meets a condition: for output without a line end, as a
  /// live line.
  @discardableResult public func awaitText(
    in stream: Stream = .output, timeout: Duration = .seconds(20), _ what: String = "text",
    where condition: (String) -> Bool
  ) throws(StageError) -> String {
    try find(in: stream, timeout, what) { transcript in
      let text = transcript.text
      return condition(text) ? text : nil
    }
  }

  private enum Outcome<Found> {
    case found(Found)
    case ended(ExitStatus)
  }

  private func find<Found>(
    in stream: Stream, _ timeout: Duration, _ what: String, _ search: (Transcript) -> Found?
  ) throws(StageError) -> Found {
    let outcome = record.wait(until: .after(timeout)) { record -> Outcome<Found>? in
      if let found = search(record[keyPath: stream.transcript]) { return .found(found) }
      return record.status.map { .ended($0) }
    }
    let awaited = "\(what) from \(URL(fileURLWithPath: program).lastPathComponent)"
    switch outcome {
    case .found(let found): return found
    case .ended(let status): throw .ended(awaiting: awaited, status: status, transcript: transcript)
    case nil: throw .timedOut(awaiting: awaited, transcript: transcript)
    }
  }

  private var transcript: String {
    record.read { ($0.output.lines.suffix(10) + $0.errors.lines.suffix(10)).joined(separator: "\n") }
  }
}

extension Child.Streams {
  fileprivate var raw: stage_streams {
    switch self {
    case .noInput: STAGE_NO_INPUT
    case .pipes: STAGE_PIPES
    case .terminal: STAGE_TERMINAL
    case .terminalWithErrors: STAGE_TERMINAL_WITH_ERRORS
    }
  }
}

extension Child.Stream {
  fileprivate var transcript: WritableKeyPath<ChildRecord, Transcript> & Sendable {
    switch self {
    case .output: \.output
    case .errors: \.errors
    }
  }
}

extension Child {
  /// The kernel's letter for a process's state, such as `S` where it sleeps, `T` where it is stopped and `Z`
  /// where it has ended and its parent has not asked for its status; `nil` where there is no such process.
  static func state(of pid: pid_t) -> Character? {
    guard let stat = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8) else { return nil }
    return stat.split(separator: ")").last?.dropFirst().first
  }

  /// Whether a process has ended that this one has not started. Its status falls to the first process of the
  /// container, which may never ask for it: then the kernel keeps the process as one that has ended.
  public static func hasEnded(_ pid: pid_t) -> Bool { state(of: pid).map { "ZX".contains($0) } ?? true }
}
