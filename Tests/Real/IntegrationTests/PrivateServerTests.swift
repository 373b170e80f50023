import Foundation
import Stage
import Testing
import Typechecking

/// `make run`, less the building: the program and the script that finds it a server.
@Suite(.serialized, .alone) struct PrivateServerTests {
  private static let script = Typechecking.packageRoot.appending(path: "Scripts/with-jack").path

  private func run(_ flags: [String] = [], environment: [String: String?] = [:]) throws -> Child {
    let nobody: [String: String?] = [
      "HOME": "/nowhere", "XDG_CONFIG_HOME": nil, "JACK_DEFAULT_SERVER": nil, "JACK_PROMISCUOUS_SERVER": nil,
      "PIPEWIRE_RUNTIME_DIR": nil,
    ]
    return try Child(
      Self.script, [Products.path("jackstay")] + flags, environment: nobody.merging(environment) { $1 },
      streams: .terminalWithErrors)
  }

  /// Private servers that are there.
  private var servers: [String] {
    let files = (try? FileManager.default.contentsOfDirectory(atPath: "/dev/shm")) ?? []
    return files.filter { $0.hasPrefix("jack_jackstay-") }
  }

  @Test func `Commands are taken, and Ctrl-C lets the program end in order, every time`() throws {
    let peer = try LinkProbe.start(server: nil)
    for round in 1...4 {
      let program = try run()
      try program.awaitText("the timebase") { $0.contains("Link leads") }
      #expect(try peer.awaitState("peers 1"))
      try program.write("start\n")
      try program.awaitText("the start") { $0.contains("transport started") }
      try program.write("\u{3}")
      #expect(try program.wait().isSuccess)
      #expect(program.text().contains("leaving while JACK rolls"), "round \(round)")
      // A peer that leaves without a message is missed after five seconds.
      #expect(try peer.awaitState("alone", seconds: 3), "round \(round)")
      #expect(eventually { servers.isEmpty }, "round \(round): \(servers)")
      try peer.send("stop")
    }
  }

  @Test func `Where PipeWire runs, its JACK is used, and no server is started`() throws {
    let pipewire = try JackServer.started(.pipewire)
    var environment = pipewire.environment
    // The script finds the library by itself.
    environment["LD_LIBRARY_PATH"] = .some(nil)
    let program = try run(environment: environment)
    try program.awaitText("the timebase") { $0.contains("Link leads") }
    #expect(servers.isEmpty)
    let probe = try LinkProbe.start(server: pipewire)
    try probe.send("jackstart")
    #expect(try probe.awaitState("rolling"))
    try program.awaitText("the start") { $0.contains("transport started") }
    program.signal(SIGTERM)
    #expect(try program.wait() == .exited(0))
  }

  @Test(arguments: [SIGTERM, SIGKILL])
  func `The server ends with the program, however that ends`(signal: Int32) throws {
    let program = try run()
    try program.awaitText("the timebase") { $0.contains("Link leads") }
    #expect(!servers.isEmpty)
    program.signal(signal)
    #expect(try program.wait() == (signal == SIGTERM ? .exited(0) : .signalled(SIGKILL)))
    #expect(eventually { servers.isEmpty }, "\(servers)")
  }

  @Test func `A server that is named, by a flag or in the file, is waited for, and no other is started`()
    throws
  {
    let home = FileManager.default.temporaryDirectory.appending(path: "jackstay-home-\(UUID().uuidString)")
    let folder = home.appending(path: "jackstay")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: home) }
    try Data("server = \"in-the-file\"\n".utf8).write(to: folder.appending(path: "config.toml"))
    for (name, flags, environment) in [
      ("in-the-file", [], ["XDG_CONFIG_HOME": home.path]), ("on-the-line", ["--server", "on-the-line"], [:]),
    ] {
      let program = try run(flags, environment: environment)
      try program.awaitText("the wait") { $0.contains("'\(name)' does not answer") }
      #expect(!program.text().contains("starting a private one"))
      #expect(servers.isEmpty)
      try program.write("\u{3}")
      #expect(try program.wait().isSuccess)
    }
  }

  @Test func `A fault of the flags is reported once, and no server is started for it`() throws {
    let program = try run(["--tempo", "5000"])
    #expect(try program.wait() == .exited(2))
    #expect(program.lines().count == 1)
    #expect(program.text().contains("expected 20 to 999"))
  }
}
