import JSON
import Stage
import Testing

/// `jackstay doctor` on real servers, and without one.
@Suite(.serialized, .alone) struct DoctorTests {
  private let folder: RuntimeFolder

  init() throws { folder = try RuntimeFolder() }

  private func findings(_ environment: [String: String?]) throws -> [JSONObject] {
    let child = try Child(
      Products.path("jackstay"), ["doctor", "--json"],
      environment: environment.merging(["HOME": "/nowhere", "XDG_CONFIG_HOME": nil]) { $1 })
    let status = try child.wait()
    let findings = try child.lines().map { try JSONObject(parsing: $0.utf8) }
    #expect(child.text(of: .errors).isEmpty)
    let isWell = !findings.contains { $0["level"] == "fault" || $0["level"] == "warning" }
    #expect(status == .exited(isWell ? 0 : 1))
    return findings
  }

  private func one(_ check: String, in findings: [JSONObject]) throws -> JSONObject {
    try #require(findings.first { $0["check"] == .string(check) }, "\(check)")
  }

  @Test func `Without a server it says so, what to do, and starts none`() throws {
    let nowhere = JackServer()
    let environment = nowhere.environment.merging(folder.environment) { $1 }
    let findings = try findings(environment)
    let server = try one("server", in: findings)
    #expect(server["level"] == "fault" && server["remedy"]?.string?.contains("jackd") == true)
    #expect(try one("bridge", in: findings)["level"] == "note")
    #expect(try one("port", in: findings)["level"] == "ok")
    // This process has a network of its own, in which there is only lo, and that takes multicast.
    let networks = findings.filter { $0["check"] == "network" }
    #expect(
      networks.contains { $0["level"] == "ok" && $0["text"]?.string?.hasPrefix("lo, 127.0.0.1") == true })
    #expect(networks.contains { $0["level"] == "warning" })
    #expect(try one("peers", in: findings)["level"] == "note")
    let people = try Child(Products.path("jackstay"), ["doctor"], environment: environment)
    #expect(try people.wait() == .exited(1))
    #expect(people.lines().first?.hasPrefix("fault    server      ") == true)
    #expect(people.lines().last?.hasPrefix("1 fault, ") == true)
  }

  @Test(.enabled(if: Sanitizer.current == nil, Sanitizer.bearsNoInterposer), arguments: [1150, 1500])
  func `A real-time thread that begins late is waited for`(milliseconds: Int) throws {
    let server = try JackServer.started()
    let late = ["LD_PRELOAD": try Interposer.late(), "LATE_MS": "\(milliseconds)"]
    let findings = try findings(
      server.environment.merging(folder.environment) { $1 }.merging(late) { $1 })
    #expect(try one("server", in: findings)["level"] == "ok")
  }

  @Test func `On a server with a peer it sees both, and touches neither the session nor the timebase`() throws
  {
    let server = try JackServer.started()
    let probe = try LinkProbe.start(server: server, bpm: 97)
    try probe.send("enable 1")
    let findings = try findings(server.environment.merging(folder.environment) { $1 })
    let found = try one("server", in: findings)
    #expect(found["level"] == "ok" && found["text"]?.string?.contains(server.name) == true)
    #expect(try one("timebase", in: findings)["text"]?.string?.hasPrefix("nobody owns") == true)
    #expect(try one("latency", in: findings)["text"]?.string?.contains("heard 10.67 ms later") == true)
    #expect(try one("peers", in: findings)["text"] == "1 other Link peer")
    let state = try probe.peers()
    #expect(state["link_bpm"].map { abs($0 - 97) < 0.01 } == true)
    #expect(try probe.awaitState("alone"))
  }

  @Test func `On PipeWire it names that, and says that nothing is heard where no card is open`() throws {
    let scene = try Scene(on: .pipewire, period: 256, environment: folder.environment)
    let findings = try findings(scene.server.environment.merging(folder.environment) { $1 })
    let found = try one("server", in: findings)
    #expect(found["level"] == "ok" && found["text"]?.string?.hasPrefix("PipeWire's JACK (library ") == true)
    #expect(try one("clocks", in: findings)["level"] == "ok")
    #expect(try one("timebase", in: findings)["text"] == "the bridge owns JACK's timebase")
    let latency = try one("latency", in: findings)
    #expect(latency["level"] == "warning" && latency["remedy"]?.string?.contains("sound card") == true)
  }

  @Test func `With a bridge it says what that says, and is not another peer`() throws {
    let scene = try Scene(environment: folder.environment)
    let findings = try findings(scene.server.environment.merging(folder.environment) { $1 })
    #expect(try one("bridge", in: findings)["level"] == "ok")
    #expect(try one("timebase", in: findings)["text"] == "the bridge owns JACK's timebase")
    #expect(try one("peers", in: findings)["text"] == "the bridge sees no other Link peer")
    #expect(scene.logged("Link peers").isEmpty && scene.logged("timebase").count == 1)
  }
}
