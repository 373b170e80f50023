import Foundation
import JACK
import JSON
import Testing

@testable import jackstay

@Suite struct CheckupTests {
  private static let server = CheckupFacts.Server.Running(
    name: "default", rate: 48000, bufferFrames: 256, latencyFrames: 512,
    outputs: ["system:playback_1", "system:playback_2"], heard: ["klick"], showsPosition: false,
    clockOffset: 1.25, clockDrift: 0.5)
  private static let well = CheckupFacts(
    linkRelease: "3.0", library: "1.9.21", hasPipeWire: false, server: .running(server),
    bridge: ["name": "jackstay", "state": "bridging", "mode": "auto", "timebase": "bridge", "peers": 2],
    realtimeRefusal: nil, lockableBytes: nil,
    interfaces: [
      .init(name: "lo", address: "127.0.0.1", networkBits: 8, isLoopback: true, takesMulticast: false),
      .init(name: "eth0", address: "192.168.1.5", isLoopback: false, takesMulticast: true),
    ], portRefusal: nil, peers: 2, firewalls: [])

  private func findings(_ change: (inout CheckupFacts) -> Void = { _ in }) -> [Finding] {
    var facts = Self.well
    change(&facts)
    return Checkup.findings(facts)
  }

  /// The one finding that differs from those of a machine on which all is well.
  private func complaint(_ change: (inout CheckupFacts) -> Void) throws -> Finding {
    let complaints = findings(change).filter(\.isComplaint)
    #expect(complaints.count == 1, "\(complaints)")
    return try #require(complaints.first)
  }

  private func onServer(_ change: @escaping (inout CheckupFacts.Server.Running) -> Void) -> (
    inout CheckupFacts
  )
    -> Void
  {
    var server = Self.server
    change(&server)
    return { $0.server = .running(server) }
  }

  @Test func `Where all is well it says so of each, and complains of nothing`() {
    let findings = findings()
    #expect(findings.allSatisfy { !$0.isComplaint })
    #expect(Doctor.summary(of: findings) == "all is well")
    #expect(
      findings.map(\.check) == [
        "server", "bridge", "clocks", "timebase", "latency", "programs", "real time", "memory", "network",
        "port", "peers", "firewall",
      ])
    #expect(
      findings[0].text
        == "jackd2 (library 1.9.21), server \"default\", 48000 Hz, 256 frames (5.3 ms)")
    #expect(findings[4].text == "2 outputs, output latency 10.7 ms")
  }

  @Test func `Each complaint is a fault or a warning of its own, and has a remedy`() throws {
    let cases: [(String, Finding.Level, (inout CheckupFacts) -> Void)] = [
      ("latency", .warning, onServer { $0.latencyFrames = nil }),
      ("latency", .warning, onServer { $0.latencyFrames = 0 }),
      ("clocks", .warning, onServer { $0.clockDrift = 900 }),
      ("server", .warning, { $0.library = "0.126.0" }),
      ("real time", .warning, { $0.realtimeRefusal = "operation not permitted" }),
      ("memory", .warning, { $0.lockableBytes = 8 << 20 }),
      (
        "config", .fault, { $0.configurationFault = "config.toml:1:9: mode = 3: expected auto, link or jack" }
      ),
      ("network", .fault, { $0.interfaces[1].discovery = .filtered }),
      ("network", .fault, { $0.interfaces[1].measurement = .filtered }),
      (
        "network", .warning,
        {
          $0.interfaces[1].takesMulticast = false
          $0.interfaces[1].discovery = .untried("network is unreachable")
        }
      ),
      ("network", .warning, { $0.interfaces.remove(at: 1) }),
      ("port", .fault, { $0.portRefusal = "another program keeps UDP port 20808 to itself" }),
      ("start/stop", .warning, { $0.bridge?["start_stop_sync"] = false }),
      ("bridge", .warning, { $0.bridge?["state"] = "waiting" }),
      ("link", .warning, { $0.bridge?["link"] = false }),
      (
        "bridge", .fault,
        {
          $0.bridge = nil
          $0.bridgeSilence = "the bridge \"jackstay\" does not answer; end it, and start it again"
        }
      ),
      (
        "timebase", .warning,
        {
          $0.bridge?["timebase"] = "other"
          $0.bridge?["leader"] = "neither"
        }
      ),
      (
        "programs", .warning,
        {
          $0.bridge?["compensating"] = "ardour"
          $0.bridge?["not_compensating"] = "klick"
        }
      ),
    ]
    for (check, level, change) in cases {
      let finding = try complaint(change)
      #expect(finding.check == check && finding.level == level, "\(finding)")
      #expect(finding.remedy?.isEmpty == false)
    }
    #expect(Doctor.summary(of: findings { $0.lockableBytes = 1 }) == "1 warning")
  }

  @Test(arguments: [
    ("1.9.22", false), ("3.0.0.0 (using PipeWire 1.4.2)", false), ("3.0.0.0 (using PipeWire 1.5.85)", false),
    ("3.0.0.0 (using PipeWire 1.6)", true), ("3.0.0.0 (using PipeWire 1.6.0)", true),
    ("3.0.0.0 (using PipeWire 1.6.7)", true), ("3.0.0.0 (using PipeWire 1.6.8)", false),
    ("3.0.0.0 (using PipeWire 1.6.10)", false), ("3.0.0.0 (using PipeWire 1.7.0)", false),
  ])
  func `A PipeWire that may lose MIDI events is named, with the version that does not`(
    library: String, isBad: Bool
  ) throws {
    let found = findings { $0.library = library }.filter { $0.check == "pipewire" }
    #expect(found.count == (isBad ? 1 : 0), "\(found)")
    guard isBad else { return }
    #expect(found[0].level == .warning && found[0].text.contains("may lose MIDI events"))
    #expect(found[0].remedy?.contains("1.6.8 or newer") == true)
  }

  @Test func `Without a server, with one that hangs, and beside a PipeWire, it says which`() throws {
    let none = try complaint {
      $0.bridge = nil
      $0.server = .absent("The JACK server does not answer.")
    }
    #expect(
      none.level == .fault
        && none.text == "jackd2 (library 1.9.21), and no server: The JACK server does not answer.")
    #expect(none.remedy?.contains("jackd -d alsa") == true)
    let wrong = try complaint {
      $0.server = .absent("none")
      $0.hasPipeWire = true
    }
    #expect(wrong.remedy?.contains("pw-jack jackstay") == true)
    // A second server is never the advice beside one that runs.
    let bridges = try complaint { $0.server = .absent("none") }
    #expect(bridges.remedy?.hasPrefix("start the doctor like that bridge") == true)
    let anothers = try complaint {
      $0.server = .unreachable(ServerAbsence.anothers(user: 7).text(of: "a"), remedy: "")
    }
    #expect(
      anothers.text
        == "jackd2 (library 1.9.21): The JACK server 'a' serves another user only (uid 7)"
    )
    let pipeWires = try complaint {
      $0.bridge = nil
      $0.library = "3.0.0.0 (using PipeWire 0.3.65)"
      $0.server = .absent("none")
    }
    #expect(pipeWires.remedy?.contains("jackd -d") == false)
    let hanging = try complaint { $0.server = .hangs }
    #expect(hanging.text.hasSuffix("does not answer") && hanging.level == .fault)
    let pipewire = findings { $0.library = "3.0.0.0 (using PipeWire 0.3.65)" }
    #expect(pipewire[0].text.hasPrefix("PipeWire's JACK (library 3.0.0.0"))
  }

  @Test func `A warning and a fault have a remedy, and nothing else has one`() {
    let changes: [(inout CheckupFacts) -> Void] = [
      { $0.peers = nil }, { $0.peers = 0 }, { $0.bridge = nil },
      {
        $0.bridge = nil
        ($0.bridgeSilence, $0.hasSeveralBridges) = ("2 bridges run: a, b; choose one with --name", true)
      }, { $0.server = .hangs },
      { $0.bridge?["state"] = "standing_by" }, { $0.interfaces = [] },
      { $0.firewalls = [.init(name: "ufw", isActive: true)] },
      { $0.interfaces[1].measurement = .untried("no buffer space available") },
      onServer { $0.heard = ["ardour"] }, onServer { $0.heard = [] }, onServer { $0.clockOffset = 246e3 },
      onServer { $0.showsPosition = true },
      {
        $0.bridge?["timebase"] = "other"
        $0.bridge?["leader"] = "jack"
      },
    ]
    for change in changes {
      for finding in findings(change) {
        #expect((finding.remedy != nil) == finding.isComplaint, "\(finding)")
      }
    }
  }

  @Test func `A check without an answer is unknown, and a finding that needs no remedy a note`() {
    let blind = findings { $0.peers = nil }
    #expect(blind.first { $0.check == "peers" }?.level == .unknown)
    let alone = findings { $0.peers = 0 }
    #expect(alone.first { $0.check == "peers" }?.level == .note)
    let ardour = findings(onServer { $0.heard = ["ardour"] })
    #expect(ardour.last?.check == "ardour" && ardour.last?.text.contains("JACK time master") == true)
    let owner = findings {
      $0.bridge = nil
      $0.server = .running(Self.server)
    }
    #expect(owner.first { $0.check == "bridge" }?.level == .note)
  }

  @Test func `Where all is well it takes five lines`() {
    let lines = Doctor.lines(of: findings())
    #expect(lines.count == 4)
    #expect(
      lines.last
        == "ok       also        clocks, timebase, latency, programs, real time, memory, network, port, firewall"
    )
  }

  @Test func `Clocks that are far apart are reported, and that a bridge converts between them`() throws {
    let finding = try #require(
      findings(onServer { $0.clockOffset = -246_000 }).first { $0.check == "clocks" })
    #expect(finding.level == .note)
    #expect(
      finding.text.contains("246.0 ms apart") && finding.text.hasSuffix("a bridge converts between them"))
  }

  @Test func `A memory limit below a MiB is given in KiB`() throws {
    #expect(try complaint { $0.lockableBytes = 64 << 10 }.text.hasPrefix("64 KiB of memory"))
    #expect(try complaint { $0.lockableBytes = 8 << 20 }.text.hasPrefix("8 MiB of memory"))
  }

  @Test func `A firewall that lets in Link's port alone is reported, with the network to be let in`() throws {
    let alone = try complaint { $0.interfaces[1].measurement = .filtered }
    #expect(alone.text.contains("lets in UDP port 20808, and no other"))
    #expect(
      alone.remedy?.hasSuffix("inet filter input ip saddr 192.168.1.0/24 meta l4proto udp accept") == true)
    let remedies: [(CheckupFacts.Firewall, String)] = [
      (.init(name: "ufw", isActive: true), "sudo ufw allow proto udp from 192.168.1.0/24"),
      (.init(name: "firewalld", isActive: true), "source address=192.168.1.0/24 protocol value=udp accept"),
      (.init(name: "iptables", isActive: true), "sudo iptables -I INPUT -s 192.168.1.0/24 -p udp -j ACCEPT"),
      (.init(name: "nftables", isActive: true, chain: "ip filter INPUT"), "rule ip filter INPUT ip saddr"),
    ]
    for (firewall, remedy) in remedies {
      let finding = try complaint {
        $0.interfaces[1].discovery = .filtered
        $0.firewalls = [firewall]
      }
      #expect(finding.remedy?.contains(remedy) == true, "\(finding)")
    }
    // Peers are missing for that reason, so that no other is given.
    let missing = findings {
      $0.interfaces[1].measurement = .filtered
      $0.peers = 0
    }
    #expect(
      missing.first { $0.check == "peers" }?.text == "the bridge sees no other Link peer, with Link 3.0")
    #expect(!missing.contains { $0.check == "firewall" })
  }

  @Test func `A port that another program holds is not called a firewall`() throws {
    let held = try complaint {
      $0.portRefusal = "another program keeps UDP port 20808 to itself"
      $0.interfaces = []
      $0.peers = nil
    }
    #expect(held.check == "port")
  }

  @Test func `A network that is larger than a 24th is warned of while there is no peer`() throws {
    let wide = try complaint {
      $0.interfaces[1].address = "169.254.7.9"
      $0.interfaces[1].networkBits = 16
      $0.peers = 0
    }
    #expect(
      wide.level == .warning && wide.text.contains("169.254.0.0/16: programs with Link 3.1.2 to 4.0.0b1"))
    #expect(wide.remedy?.contains("192.168.77.1/24") == true)
    #expect(wide.remedy?.contains("make run LINK=4") == true)
    // By IPv6 those programs find a bridge that has Link 3.1 or newer, and no other.
    for (release, version6) in [
      ("4.0", CheckupFacts.Version6.comesBack), ("4.0", .noAddress), ("3.0", .comesBack),
    ] {
      let found = findings {
        $0.interfaces[1].networkBits = 16
        $0.interfaces[1].version6 = version6
        ($0.peers, $0.linkRelease) = (0, release)
      }.filter { $0.text.contains("4.0.0b1") }
      let isFound = release == "4.0" && version6 == .comesBack
      #expect(found.map(\.level) == [isFound ? .note : .warning])
      #expect(found[0].text.hasSuffix("by IPv6 they find this one") == isFound)
      #expect(found[0].remedy?.contains("turn on IPv6") ?? false == (version6 == .noAddress))
    }
    let company = findings { $0.interfaces[1].networkBits = 23 }
    #expect(company.contains { $0.check == "network" && $0.level == .note })
    // A network of containers on this machine has no other machine in it.
    let containers = findings {
      $0.interfaces.append(
        .init(
          name: "docker0", address: "172.17.0.1", networkBits: 16, isLoopback: false, reachesMachines: false,
          takesMulticast: true))
      $0.peers = 0
    }
    #expect(containers.allSatisfy { !$0.isComplaint })
  }

  @Test func `A firewall that drops IPv6 alone is a warning where the bridge's Link uses IPv6`() throws {
    let drop: (inout CheckupFacts) -> Void = { $0.interfaces[1].version6 = .fails(.filtered) }
    let unused = findings(drop)
    #expect(unused.allSatisfy { !$0.isComplaint })
    #expect(unused.contains { $0.level == .note && $0.text.contains("ff12::8080, which this Jackstay") })
    let remedies: [(CheckupFacts.Firewall?, String)] = [
      (.init(name: "ufw", isActive: true), "sudo ufw allow proto udp from fe80::/10"),
      (
        .init(name: "firewalld", isActive: true),
        "rule family=ipv6 source address=fe80::/10 protocol value=udp"
      ),
      (.init(name: "iptables", isActive: true), "sudo ip6tables -I INPUT -s fe80::/10 -p udp -j ACCEPT"),
      (.init(name: "nftables", isActive: true, chain: "inet a b"), "rule inet a b ip6 saddr fe80::/10 meta"),
      (
        .init(name: "nftables", isActive: true, chain: "ip a b"), "rule inet filter input ip6 saddr fe80::/10"
      ),
    ]
    for (firewall, remedy) in remedies {
      let finding = try complaint {
        drop(&$0)
        $0.linkRelease = "4.0"
        $0.firewalls = [firewall].compactMap(\.self)
      }
      #expect(finding.level == .warning && finding.text.hasSuffix("peers are found by IPv4 alone"))
      #expect(finding.remedy?.contains(remedy) == true, "\(finding)")
    }
    // Where IPv4 is dropped, too, that is to be corrected first.
    let both = try complaint {
      drop(&$0)
      $0.linkRelease = "4.0"
      $0.interfaces[1].discovery = .filtered
    }
    #expect(both.level == .fault && both.text.contains("224.76.78.75"))
  }

  @Test func `The release of Link that looked for peers is named`() {
    for (peers, text) in [
      (2, "2 other Link peers, seen with Link 4.0"), (1, "1 other Link peer, seen with Link 4.0"),
    ] {
      let found = findings { ($0.peers, $0.linkRelease) = (peers, "4.0") }
      #expect(found.first { $0.check == "peers" }?.text == text)
    }
  }

  @Test func `A peer that is heard and not in the session is a warning with its reason`() throws {
    let near = CheckupFacts.HeardPeer(
      address: "192.168.1.20", interface: "eth0", isMeasurable: true, isInOwnSession: true)
    #expect(findings { $0.heard = [near] }.allSatisfy { !$0.isComplaint })
    var silent = near
    (silent.isMeasurable, silent.isInOwnSession) = (false, false)
    let walled = try complaint { $0.heard = [near, silent] }
    #expect(
      walled.level == .warning
        && walled.text.hasPrefix("192.168.1.20 is heard, and not measurable: a firewall"))
    #expect(walled.remedy == "let in all UDP of this network in the firewall of that machine")
    var apart = near
    apart.isInOwnSession = false
    let other = try complaint { $0.heard = [apart, apart] }
    #expect(other.text.hasPrefix("192.168.1.20, 192.168.1.20 are heard, in another session: that program"))
    var far = apart
    far.address = "192.168.2.20"
    let beyond = try complaint { $0.heard = [far] }
    #expect(beyond.text.contains("Link 3.1.2 to 4.0.0b1 ignores") && beyond.remedy?.contains("/24") == true)
    // As on a cable without a router, where one machine has a fixed address.
    var foreign = silent
    foreign.address = "169.254.3.4"
    let elsewhere = try complaint { $0.heard = [foreign] }
    #expect(
      elsewhere.text
        == "169.254.3.4 is heard, and not measurable: that address is of another network than this machine's")
    #expect(elsewhere.remedy?.contains("192.168.77.1/24") == true)
    // Peers that are not known to be either are not judged.
    let unknown = CheckupFacts.HeardPeer(address: "192.168.1.20", interface: "eth0")
    #expect(findings { $0.heard = [unknown] }.allSatisfy { !$0.isComplaint })
    // A firewall of this machine is the one complaint.
    let filtered = try complaint {
      $0.heard = [silent]
      $0.interfaces[1].measurement = .filtered
    }
    #expect(filtered.check == "network")
    let alone = findings {
      $0.peers = 0
      $0.heard = [silent]
    }
    #expect(alone.first { $0.check == "peers" }?.text == "the bridge sees no other Link peer, with Link 3.0")
  }

  @Test func `No remedy leads to a network that is warned of`() throws {
    let nowhere = try complaint { $0.interfaces.remove(at: 1) }
    #expect(nowhere.remedy?.contains("/24") == true && nowhere.remedy?.contains("link-local") == false)
  }

  @Test func `Two interfaces in one network are reported`() throws {
    let twice = try complaint {
      $0.interfaces.append(
        .init(name: "wlan0", address: "192.168.1.77", isLoopback: false, takesMulticast: true))
    }
    #expect(twice.text.hasPrefix("eth0 and wlan0 are in one network, 192.168.1.0/24"))
    let apart = findings {
      $0.interfaces.append(
        .init(name: "wlan0", address: "192.168.2.77", isLoopback: false, takesMulticast: true))
      // Two addresses of one interface.
      $0.interfaces.append(
        .init(name: "eth0", address: "192.168.1.78", isLoopback: false, takesMulticast: true))
    }
    #expect(apart.allSatisfy { !$0.isComplaint })
  }

  @Test func `Choices of long ago that are not the default are named`() {
    let chosen = findings {
      $0.bridge?["launch"] = "now"
      $0.bridge?["discipline"] = "off"
    }
    #expect(
      chosen.filter { $0.check == "choices" }.map(\.text) == [
        "not the default: launch now"
      ])
  }

  @Test func `A finding is one or two lines for people, and one object for programs`() throws {
    let finding = Finding("real time", .warning, "a\nb", remedy: "c\u{1B}[2J")
    #expect(finding.lines == ["warning  real time   a b", "                     -> c\\u{1B}[2J"])
    #expect(try JSONObject(parsing: finding.object.line.utf8) == finding.object)
    #expect(finding.object["level"] == "warning" && finding.object["remedy"]?.string?.isEmpty == false)
    #expect(Finding("x", .ok, "y").object["remedy"] == nil)
  }

  @Test func `Firewalls are known by their files, and by the kernel's chains`() throws {
    let root = FileManager.default.temporaryDirectory.appending(path: "firewalls-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: root) }
    for folder in ["etc/ufw", "run/firewalld"] {
      try FileManager.default.createDirectory(
        at: root.appending(path: folder), withIntermediateDirectories: true)
    }
    try "# x\nENABLED=no\n".write(
      to: root.appending(path: "etc/ufw/ufw.conf"), atomically: true, encoding: .utf8)
    #expect(
      Firewalls.found(
        root: root.path,
        chains: [
          InputChain(name: "inet a input", dropsByDefault: false),
          InputChain(name: "inet b input", dropsByDefault: true),
        ]) == [
          .init(name: "ufw", isActive: false), .init(name: "firewalld", isActive: true),
          .init(name: "nftables", isActive: true, chain: "inet b input"),
        ])
    #expect(Firewalls.found(root: "/nowhere", chains: []) == [])
  }
}
