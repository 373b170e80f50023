import Foundation
import Stage
import Testing

@Suite(.serialized, .alone) struct JackServerTests {
  private func canConnect(to server: JackServer) throws -> Bool {
    let client = try Child("jack_lsp", environment: server.environment)
    return try client.wait().isSuccess && client.lines().contains("system:playback_1")
  }

  @Test func `A started server takes clients`() throws {
    let server = try JackServer.started(period: 128)
    #expect(try canConnect(to: server))
    #expect(server.isRunning)
    #expect(server.terminate() == .exited(0))
    #expect(!server.isRunning)
  }

  @Test func `Two servers do not know each other`() throws {
    let servers = try [JackServer.started(), JackServer.started(sampleRate: 44100)]
    #expect(servers[0].name != servers[1].name)
    for server in servers { #expect(try canConnect(to: server)) }
    servers[0].terminate()
    #expect(try canConnect(to: servers[1]))
  }

  @Test func `A killed server starts again under its name`() throws {
    let server = try JackServer.started()
    for _ in 0..<3 {
      #expect(server.kill() == .signalled(SIGKILL))
      try server.start()
      #expect(try canConnect(to: server))
    }
  }

  @Test func `A suspended server goes on when resumed`() throws {
    let server = try JackServer.started()
    try server.suspend()
    #expect(server.isRunning)
    server.resume()
    #expect(try canConnect(to: server))
  }

  @Test func `Killed servers leave nothing behind`() throws {
    // The registry has eight places.
    for _ in 0..<9 {
      let server = try JackServer.started()
      server.kill()
    }
    let left = try FileManager.default.contentsOfDirectory(atPath: "/dev/shm")
    #expect(left.filter { $0.contains("_stage-") || $0.hasPrefix("jack-\(getuid())-") } == [])
  }
}
