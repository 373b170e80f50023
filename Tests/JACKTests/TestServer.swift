import Foundation
import JACK

/// A `jackd` of its own, with the dummy driver: 48 kHz, cycles of 256 frames.
///
/// Ended by its process id, at the latest when the value is released.
final class TestServer: @unchecked Sendable {
  let name: String
  private var process = Process()
  private var wasSignalled = false

  struct DidNotStart: Error {}

  init() throws {
    name = "jackstay-\(UUID().uuidString.prefix(13))"
    try start()
  }

  deinit { end() }

  func send(signal: Int32) {
    wasSignalled = true
    kill(process.processIdentifier, signal)
  }

  func end() {
    guard process.isRunning || wasSignalled else { return }
    stop()
    guard wasSignalled else { return }
    wasSignalled = false
    // jackd2 has eight places for servers per user. One that was killed keeps its place for ever, unless a
    // server of the same name starts, and ends as it should.
    if process.terminationReason == .uncaughtSignal, (try? start()) != nil { stop() }
    // Its clients' semaphores outlive it.
    let memory = URL(fileURLWithPath: "/dev/shm")
    for file in (try? FileManager.default.contentsOfDirectory(atPath: memory.path)) ?? []
    where file.hasPrefix("jack_sem.") && file.contains("_\(name)_") {
      try? FileManager.default.removeItem(at: memory.appendingPathComponent(file))
    }
  }

  static func isInstalled(_ program: String) -> Bool {
    (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
      .contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(program)") }
  }

  /// Runs a program on this server, to its end.
  func run(_ arguments: String...) throws {
    let program = Self.process(arguments)
    program.environment = ProcessInfo.processInfo.environment.merging(["JACK_DEFAULT_SERVER": name]) { $1 }
    try program.run()
    program.waitUntilExit()
  }

  private func start() throws {
    process = Self.process(["jackd", "-n", name, "-r", "-d", "dummy", "-r", "48000", "-p", "256"])
    try process.run()
    let patience = Date(timeIntervalSinceNow: 10)
    while process.isRunning, Date() < patience {
      if (try? Client.open(name: "ready?", server: name)) != nil { return }
      usleep(20_000)
    }
    stop()
    throw DidNotStart()
  }

  private func stop() {
    // A second signal would kill a server that is ending by the first.
    if process.isRunning, !wasSignalled { kill(process.processIdentifier, SIGTERM) }
    let patience = Date(timeIntervalSinceNow: 5)
    while process.isRunning, Date() < patience { usleep(10_000) }
    if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    process.waitUntilExit()
  }

  private static func process(_ arguments: [String]) -> Process {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = arguments
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    return process
  }
}
