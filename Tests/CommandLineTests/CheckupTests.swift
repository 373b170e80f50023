import Foundation
import JSON
import Testing

@testable import jackstay

@Suite struct CheckupTests {
  private static let server = CheckupFacts.Server.Running(
    name: "default", rate: 48000, bufferFrames: 256, latencyFrames: 512,
    outputs: ["system:playback_1", "system:playback_2"], heard: ["klick"], showsPosition: false,
    clockOffset: 1.25, clockDrift: 0.5)
  private static let well = CheckupFacts(
    library: "1.9.21", hasPipeWire: false, server: .running(server),
    bridge: ["name": "jackstay", "state": "bridging", "mode": "auto", "timebase": "ours", "peers": 2],
    realtimeRefusal: nil, lockableBytes: nil,
    interfaces: [
      .init(name: "lo", address: "127.0.0.1", isLoopback: true, takesMulticast: false, failure: nil),
      .init(name: "eth0", address: "192.168.1.5", isLoopback: false, takesMulticast: true, failure: nil),
    ], portRefusal: nil, peers: 2, firewalls: [], ardour: nil)

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
        "network", "port", "peers", "start/stop", "firewall",
      ])
    #expect(
      findings[0].text
        == "jackd2 (library 1.9.21), server \"default\", 48000 Hz, 256 frames (5.3 ms)")
    #expect(findings[4].text == "2 outputs, heard 10.67 ms later as JACK knows it")
  }

  @Test func `Each complaint is told apart, as a fault or a warning, and has a remedy`() throws {
    let cases: [(String, Finding.Level, (inout CheckupFacts) -> Void)] = [
      ("latency", .warning, onServer { $0.latencyFrames = nil }),
      ("latency", .warning, onServer { $0.latencyFrames = 0 }),
      ("clocks", .warning, onServer { $0.clockDrift = 900 }),
      ("server", .warning, { $0.library = "0.126.0" }),
      ("real time", .warning, { $0.realtimeRefusal = "operation not permitted" }),
      ("memory", .warning, { $0.lockableBytes = 8 << 20 }),
      ("network", .fault, { $0.interfaces[1].failure = "operation not permitted" }),
      (
        "network", .warning,
        {
          $0.interfaces[1].takesMulticast = false
          $0.interfaces[1].failure = "network is unreachable"
        }
      ),
      ("network", .warning, { $0.interfaces.remove(at: 1) }),
      ("port", .fault, { $0.portRefusal = "another program keeps UDP port 20808 to itself" }),
      ("start/stop", .warning, { $0.bridge?["start_stop_sync"] = false }),
      ("bridge", .warning, { $0.bridge?["state"] = "waiting" }),
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
    #expect(Doctor.summary(of: findings { $0.lockableBytes = 1 }) == "0 faults, 1 warning")
  }

  @Test func `Without a server, with one that hangs, and beside a PipeWire, it says which`() throws {
    let none = try complaint { $0.server = .absent("The JACK server does not answer.") }
    #expect(
      none.level == .fault
        && none.text == "jackd2 (library 1.9.21), and no server: The JACK server does not answer.")
    #expect(none.remedy?.contains("jackd -d alsa") == true)
    let wrong = try complaint {
      $0.server = .absent("none")
      $0.hasPipeWire = true
    }
    #expect(wrong.remedy?.contains("pw-jack jackstay") == true)
    let hanging = try complaint { $0.server = .hangs }
    #expect(hanging.text.hasSuffix("does not answer") && hanging.level == .fault)
    let pipewire = findings { $0.library = "3.0.0.0 (using PipeWire 0.3.65)" }
    #expect(pipewire[0].text.hasPrefix("PipeWire's JACK (library 3.0.0.0"))
  }

  @Test func `What nobody can know is unknown, and what need not be mended a note`() {
    let blind = findings { $0.peers = nil }
    #expect(blind.first { $0.check == "peers" }?.level == .unknown)
    let alone = findings { $0.peers = 0 }
    #expect(alone.first { $0.check == "peers" }?.level == .note)
    let walls = findings {
      $0.firewalls = [.init(name: "ufw", isActive: true), .init(name: "nftables", isActive: nil)]
    }
    #expect(walls.filter { $0.check == "firewall" }.map(\.level) == [.note, .unknown])
    let ardour = findings { $0.ardour = "/usr/bin/ardour" }
    #expect(ardour.last?.check == "ardour" && ardour.last?.remedy?.contains("JACK time master") == true)
    let owner = findings {
      $0.bridge = nil
      $0.server = .running(Self.server)
    }
    #expect(owner.first { $0.check == "bridge" }?.level == .note)
  }

  @Test func `A finding is one or two lines for people, and one object for programs`() throws {
    let finding = Finding("real time", .warning, "a\nb", remedy: "c\u{1B}[2J")
    #expect(finding.lines == ["warning  real time   a b", "                     -> c\\u{1B}[2J"])
    #expect(try JSONObject(parsing: finding.object.line.utf8) == finding.object)
    #expect(finding.object["level"] == "warning" && finding.object["remedy"]?.string?.isEmpty == false)
    #expect(Finding("x", .ok, "y").object["remedy"] == nil)
  }

  @Test func `Firewalls are known by what everybody may read`() throws {
    let root = FileManager.default.temporaryDirectory.appending(path: "firewalls-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: root) }
    for folder in ["etc/ufw", "run/firewalld", "proc"] {
      try FileManager.default.createDirectory(
        at: root.appending(path: folder), withIntermediateDirectories: true)
    }
    try "# x\nENABLED=no\n".write(
      to: root.appending(path: "etc/ufw/ufw.conf"), atomically: true, encoding: .utf8)
    try "nf_tables 1 3 nft_ct, Live 0x0\niptable_filter 1 0 - Live 0x0\n".write(
      to: root.appending(path: "proc/modules"), atomically: true, encoding: .utf8)
    #expect(
      Firewalls.found(root: root.path) == [
        .init(name: "ufw", isActive: false), .init(name: "firewalld", isActive: true),
        .init(name: "nftables", isActive: nil),
      ])
    #expect(Firewalls.found(root: "/nowhere") == [])
  }
}
