import Foundation
import Glibc
import Stage
import Testing

/// A bridge without a server reports the servers that there are nevertheless, and waits.
@Suite(.serialized, .alone) struct ServerAbsenceTests {
  private let folder: RuntimeFolder

  init() throws { folder = try RuntimeFolder() }

  /// The log line of a bridge that waits for a server.
  private func wait(_ environment: [String: String?], _ flags: [String] = []) throws -> String {
    let bridge = try Child(
      Products.path("jackstay"), flags, environment: environment.merging(folder.environment) { own, _ in own }
    )
    return try bridge.awaitLine(in: .errors, "why") { $0.contains("waiting for a JACK server") }.text
  }

  /// A process that looks like a server that does not listen yet, started by `prefix`.
  private func startingServer(_ name: String, by prefix: [String] = []) throws -> Child {
    let path = "\(folder.path)/jackd"
    try Data("#!/bin/sh\nsleep 100\n".utf8).write(to: URL(filePath: path))
    chmod(path, 0o755)
    chmod(folder.path, 0o755)
    let words = prefix + [path, "-n", name, "-d", "dummy"]
    let child = try Child(words[0], Array(words.dropFirst()), environment: folder.environment)
    let isThere = {
      (try? String(contentsOfFile: "/proc/\(child.pid)/comm", encoding: .utf8)) == "jackd\n"
    }
    try #require(eventually { isThere() })
    return child
  }

  @Test func `A server that is starting is named with its process`() throws {
    let server = JackServer()
    let process = try startingServer(server.name)
    #expect(
      try wait(server.environment).contains(
        "the JACK server '\(server.name)' does not answer yet (process \(process.pid)). Wait"))
    // Without waiting the same is reported, once.
    let bridge = try Child(Products.path("jackstay"), ["--no-wait"], environment: server.environment)
    #expect(try bridge.wait() == .exited(1))
    #expect(bridge.text(of: .errors).contains("does not answer yet"))
  }

  @Test(.enabled(if: getuid() == 0))
  func `A server of another user, or in another container, has a report of its own`()
    throws
  {
    let server = JackServer()
    let anothers = try startingServer(server.name, by: ["setpriv", "--reuid", "65534", "--clear-groups"])
    #expect(try wait(server.environment).contains("serves another user only (uid 65534)"))
    #expect(anothers.terminate() != .exited(0))
    let other = JackServer()
    let path = "\(folder.path)/jackd"
    try Data("#!/bin/sh\nmount -t tmpfs none /dev/shm\nsleep 100\n".utf8).write(to: URL(filePath: path))
    chmod(path, 0o755)
    let elsewhere = try Child("unshare", ["-m", path, "-n", other.name, "-d", "dummy"])
    #expect(
      eventually {
        (try? wait(other.environment))?.contains("runs in another container (process \(elsewhere.pid))")
          == true
      })
    withExtendedLifetime(elsewhere) {}
  }

  /// libjack makes the database when it is asked for a server, and a server that ends removes it file by file. One made
  /// in between is damaged, and ends every `jackd` that is started after it.
  @Test func `A bridge that waits does not touch the database of jackd2's metadata`() throws {
    let database = "/dev/shm/jack_db-\(getuid())"
    try? FileManager.default.removeItem(atPath: database)
    let server = JackServer()
    let environment = server.environment.merging(folder.environment) { own, _ in own }
    let bridge = try Child(Products.path("jackstay"), [], environment: environment)
    func expectUntouched(_ comment: Comment) {
      try? FileManager.default.removeItem(atPath: database)
      usleep(1_000_000)
      #expect(!FileManager.default.fileExists(atPath: database), comment)
    }
    try bridge.awaitLine(in: .errors, "a wait") { $0.contains("waiting for a JACK server") }
    expectUntouched("no server yet")
    for (end, comment) in [(server.terminate, "a server has ended"), (server.kill, "a server was killed")] {
      let first = bridge.lines(of: .errors).count
      try server.start()
      try bridge.awaitLine(in: .errors, from: first, "a connection") {
        $0.contains("the bridge owns the timebase")
      }
      _ = end()
      try bridge.awaitLine(in: .errors, from: first, "the loss") { $0.contains("server is gone") }
      expectUntouched("\(comment)")
    }
  }

  @Test func `With the other library it reports which server runs, and how to reach it`() throws {
    let pipeWire = try JackServer.started(.pipewire)
    let jackd = try JackServer.started(.jackd)
    let nowhere = JackServer()
    var environment = nowhere.environment
    environment["PIPEWIRE_RUNTIME_DIR"] = pipeWire.environment["PIPEWIRE_RUNTIME_DIR"]
    #expect(
      try wait(environment).contains("PipeWire runs, but this program was started with jackd2's library"))
    environment = JackServer(.pipewire).environment
    environment["JACK_DEFAULT_SERVER"] = jackd.name
    #expect(
      try wait(environment).contains(
        "the jackd2 server '\(jackd.name)' runs, but this program was started with PipeWire's library"))
  }
}
