import AbletonLink
import Foundation
import Glibc
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

  @Test func `Without a server the doctor reports that, with the remedy, and starts none`() throws {
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
    #expect(!people.lines().contains { $0.contains("start/stop") })
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
    #expect(try one("timebase", in: findings)["text"]?.string?.hasPrefix("no program owns") == true)
    #expect(try one("latency", in: findings)["text"]?.string?.contains("output latency 10.7 ms") == true)
    #expect(
      try one("peers", in: findings)["text"]?.string?.hasPrefix("1 other Link peer, seen with Link ") == true)
    let state = try probe.peers()
    #expect(state["link_bpm"].map { abs($0 - 97) < 0.01 } == true)
    #expect(try probe.awaitState("alone"))
  }

  @Test func `On PipeWire the doctor names that, and reports that nothing is heard where no card is open`()
    throws
  {
    let scene = try Scene(on: .pipewire, period: 256, environment: folder.environment)
    let findings = try findings(scene.server.environment.merging(folder.environment) { $1 })
    let found = try one("server", in: findings)
    #expect(found["level"] == "ok" && found["text"]?.string?.hasPrefix("PipeWire's JACK (library ") == true)
    // PipeWire's clock and Link's drift apart as long as the machine runs.
    #expect(try ["ok", "note"].contains(one("clocks", in: findings)["level"]?.string))
    #expect(try one("timebase", in: findings)["text"] == "the bridge owns JACK's timebase")
    let latency = try one("latency", in: findings)
    #expect(latency["level"] == "warning" && latency["remedy"]?.string?.contains("sound card") == true)
  }

  /// The environment of a program that names no server, and finds the system's own `libjack` first.
  private func plain(_ server: JackServer) -> [String: String?] {
    let plain: [String: String?] = ["LD_LIBRARY_PATH": nil, "HOME": "/nowhere", "XDG_CONFIG_HOME": nil]
    return server.environment.merging(folder.environment) { $1 }.merging(plain) { $1 }
  }

  @Test func `Without a named server and a jackd the bridge uses PipeWire's JACK by itself`() throws {
    let pipeWire = try JackServer.started(.pipewire, period: 256)
    let bridge = try Child(
      Products.path("jackstay"), ["--tempo", "93"], environment: plain(pipeWire), streams: .pipes)
    try bridge.awaitLine(in: .errors, "the timebase") { $0.contains("the bridge owns the timebase") }
    let scene = Scene(bridge: bridge, probe: try LinkProbe.start(server: pipeWire), server: pipeWire)
    #expect(try scene.probe.awaitPeers { $0["jack_bpm"] == 93 }["jack_bpm"] == 93)
    try scene.roll()
    try bridge.awaitLine(in: .errors, "the start") { $0.contains("transport started") }
    let server = try one("server", in: findings(plain(pipeWire)))
    #expect(server["text"]?.string?.hasPrefix("PipeWire's JACK (library ") == true, "\(server)")
    bridge.signal(SIGTERM)
    #expect(try bridge.wait() == .exited(0))
  }

  @Test func `Beside a PipeWire a jackd is used that is named, or that has the default name`() throws {
    let pipeWire = try JackServer.started(.pipewire)
    let jackd = try JackServer.started(.jackd)
    let named = plain(pipeWire).merging(["JACK_DEFAULT_SERVER": jackd.name]) { $1 }
    let first = try one("server", in: findings(named))
    #expect(first["text"]?.string?.hasPrefix("jackd2 (library ") == true, "\(first)")
    #expect(first["text"]?.string?.contains(jackd.name) == true, "\(first)")
    let bridge = try Child(
      Products.path("jackstay"), ["--server", jackd.name], environment: plain(pipeWire), streams: .pipes)
    try bridge.awaitLine(in: .errors, "the timebase") { $0.contains("the bridge owns the timebase") }
    let probe = try LinkProbe.start(server: jackd)
    #expect(try probe.awaitPeers { $0["valid"] == 16 }["valid"] == 16)
    #expect(bridge.terminate().isSuccess)
    let words = ["-n", "default", "-d", "dummy", "-r", "48000", "-p", "256"]
    let usual = try Child("jackd", words, environment: ["JACK_NO_AUDIO_RESERVATION": "1"])
    let isThere = {
      let found = try? one("server", in: findings(plain(pipeWire)))
      return found?["text"]?.string?.contains("server \"default\"") == true
        && found?["text"]?.string?.hasPrefix("jackd2 ") == true
    }
    #expect(eventually { isThere() })
    #expect(usual.terminate().isSuccess)
  }

  @Test func `With a bridge the doctor reports the bridge's status, and is not another peer`() throws {
    let scene = try Scene(environment: folder.environment)
    let findings = try findings(scene.server.environment.merging(folder.environment) { $1 })
    #expect(try one("bridge", in: findings)["level"] == "ok")
    #expect(try one("timebase", in: findings)["text"] == "the bridge owns JACK's timebase")
    let peers = try one("peers", in: findings)["text"]?.string
    #expect(peers?.hasPrefix("the bridge sees no other Link peer") == true)
    #expect(scene.logged("1 peer").isEmpty && scene.logged("timebase").count == 1)
  }

  /// The doctor's findings in a network of its own, that `script` furnishes.
  private func findings(inNetwork script: String) throws -> [JSONObject] {
    let doctor = "\(Products.path("jackstay")) doctor --json"
    let child = try Child(
      "/usr/bin/unshare",
      (geteuid() == 0 ? [] : ["--user", "--map-root-user"])
        + ["--net", "sh", "-ec", "ip link set lo up\n\(script)\n\(doctor) || true"],
      environment: JackServer().environment.merging(folder.environment) { $1 }.merging([
        "HOME": "/nowhere", "XDG_CONFIG_HOME": nil, "PATH": "/usr/sbin:/usr/bin:/sbin:/bin",
      ]) { $1 })
    let status = try child.wait()
    #expect(status == .exited(0), "\(child.text(of: .errors))")
    return try child.lines().map { try JSONObject(parsing: $0.utf8) }
  }

  /// A card with an address, and a second end of its cable. Its address of IPv6 can be used at once.
  private static func card(_ address: String) -> String {
    """
    for which in default all; do
      if [ -d /proc/sys/net/ipv6 ]; then echo 0 > /proc/sys/net/ipv6/conf/$which/accept_dad; fi
    done
    ip link add card type veth peer name other
    ip address add \(address) dev card
    ip link set card up
    ip link set other up
    """
  }

  /// A firewall that drops all incoming packets but this machine's, and those that the rule accepts.
  private static func firewall(_ rule: String) -> String {
    """
    nft add table inet wall
    nft 'add chain inet wall in { type filter hook input priority 0; policy drop; }'
    nft add rule inet wall in iif lo accept
    nft add rule inet wall in \(rule)
    """
  }

  private static let hasNetworkTools = ["/usr/sbin/nft", "/usr/bin/unshare"].allSatisfy {
    FileManager.default.isExecutableFile(atPath: $0)
  }

  private static let hasVersion6 = FileManager.default.fileExists(atPath: "/proc/sys/net/ipv6")

  @Test(.enabled(if: hasNetworkTools))
  func `A firewall that opens Link's port alone is a fault, and one that lets in the network none`() throws {
    let narrow = try findings(
      inNetwork: Self.card("10.9.0.1/24") + "\n" + Self.firewall("udp dport 20808 accept"))
    let fault = try one("network", in: narrow)
    #expect(
      fault["level"] == "fault" && fault["text"]?.string?.contains("UDP port 20808, and no other") == true)
    #expect(
      fault["remedy"]?.string?.hasSuffix(
        "nft insert rule inet wall in ip saddr 10.9.0.0/24 meta l4proto udp accept")
        == true)
    let closed = try findings(
      inNetwork: Self.card("10.9.0.1/24") + "\n" + Self.firewall("tcp dport 22 accept"))
    #expect(try one("network", in: closed)["text"]?.string?.contains("and port 20808: no peer") == true)
    // The remedy, as it is given.
    let open = try findings(
      inNetwork: Self.card("10.9.0.1/24") + "\n" + Self.firewall("udp dport 20808 accept")
        + "\nnft insert rule inet wall in ip saddr 10.9.0.0/24 meta l4proto udp accept")
    #expect(try one("network", in: open)["level"] == "ok")
    #expect(
      try one("firewall", in: open)["text"]?.string?.hasPrefix(
        "nftables filters packets, and lets Link's through") == true)
    let none = try findings(inNetwork: Self.card("10.9.0.1/24"))
    #expect(try one("firewall", in: none)["level"] == "ok")
  }

  @Test(.enabled(if: hasNetworkTools && hasVersion6))
  func `Packets by IPv6 are tried, too, and a firewall that drops them alone is named`() throws {
    let open = try findings(inNetwork: Self.card("10.9.0.1/24"))
    #expect(
      try one("network", in: open)["text"]
        == "card, 10.9.0.1/24: packets to Link's group 224.76.78.75 come back, and by IPv6 those to ff12::8080"
    )
    for rule in [
      "meta nfproto ipv4 accept", "meta nfproto ipv4 accept; add rule inet wall in udp dport 20808 accept",
    ] {
      let closed = try findings(inNetwork: Self.card("10.9.0.1/24") + "\n" + Self.firewall("'\(rule)'"))
      let found = closed.filter { $0["text"]?.string?.contains("drops IPv6 packets") == true }
      #expect(found.count == 1 && found[0]["text"]?.string?.hasPrefix("card: ") == true, "\(closed)")
      #expect(found.first?["level"] == (Link.release == "3.0" ? "note" : "warning"))
    }
    let none = try findings(
      inNetwork: "echo 1 > /proc/sys/net/ipv6/conf/default/disable_ipv6\n" + Self.card("10.9.0.1/24"))
    #expect(try one("network", in: none)["text"]?.string?.hasSuffix("224.76.78.75 come back") == true)
  }

  @Test(.enabled(if: hasNetworkTools))
  func `A network that is larger than a 24th is warned of, and two cards in one network`() throws {
    let wide = try findings(inNetwork: Self.card("169.254.7.9/16"))
    // Link 3.1 and newer are found by IPv6 there.
    let level: JSONValue = Link.release == "3.0" ? "warning" : "note"
    #expect(
      wide.contains {
        $0["level"] == level
          && $0["text"]?.string?.hasPrefix("card, 169.254.0.0/16: programs with Link 3") == true
      })
    let twice = try findings(
      inNetwork: Self.card("10.9.0.1/24") + "\nip address add 10.9.0.2/24 dev other")
    #expect(
      twice.contains {
        $0["text"]?.string?.hasPrefix("other and card are in one network, 10.9.0.0/24") == true
          || $0["text"]?.string?.hasPrefix("card and other are in one network, 10.9.0.0/24") == true
      })
  }

  @Test(.enabled(if: Machines.areThere, "unshare or nft is not installed"))
  func `A peer behind a firewall that opens Link's port alone is named as heard and not measurable`() throws {
    let environment = JackServer().environment.merging(folder.environment) { $1 }
    func findings(_ script: String) throws -> [JSONObject] {
      try Machines.lines(of: script, environment).map { try JSONObject(parsing: $0.utf8) }
    }
    let walled = try findings(
      "machine a 10.9.0.1/24; machine b 10.9.0.2/24; wall a; peer a 97\npeers b --wait 1 --within 30s > /dev/null; doctor b"
    )
    let peers = walled.filter { $0["check"] == "peers" }
    #expect(peers.count == 2 && peers[0]["text"]?.string?.hasPrefix("no other Link peer was found") == true)
    #expect(
      peers.last?["level"] == "warning"
        && peers.last?["text"]?.string?.hasPrefix("10.9.0.1 is heard, and not measurable") == true, "\(peers)"
    )
    let open = try findings(
      "machine a 10.9.0.1/24; machine b 10.9.0.2/24; peer a 97\npeers b --wait 1 --within 30s > /dev/null; doctor b"
    )
    #expect(open.filter { $0["check"] == "peers" }.count == 1)
    #expect(
      try one("peers", in: open)["text"]?.string?.hasPrefix("1 other Link peer, seen with Link ") == true)
  }

  @Test func `A configuration that cannot be used is a finding, beside the others`() throws {
    let findings = try findings(
      JackServer().environment.merging(folder.environment) { $1 }.merging(["JACKSTAY_MODE": "3"]) { $1 })
    let fault = try one("config", in: findings)
    #expect(
      fault["level"] == "fault" && fault["text"]?.string?.contains("expected auto, link or jack") == true)
    #expect(try one("port", in: findings)["level"] == "ok")
  }

  @Test func `A hung bridge differs from none`() throws {
    let scene = try Scene(environment: folder.environment)
    scene.bridge.signal(SIGSTOP)
    defer { scene.bridge.signal(SIGCONT) }
    let findings = try findings(scene.server.environment.merging(folder.environment) { $1 })
    let fault = try one("bridge", in: findings)
    #expect(fault["level"] == "fault" && fault["text"]?.string?.hasSuffix("does not answer") == true)
  }
}
