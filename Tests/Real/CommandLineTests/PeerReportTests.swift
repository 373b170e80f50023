import ArgumentParser
import JSON
import LinkDiscovery
import MusicalTime
import Settings
import Testing

@testable import jackstay

/// The report of `jackstay peers`, of peers that no network has.
@Suite struct PeerReportTests {
  private static func bytes(_ number: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: number.bigEndian) { Array($0) }
  }

  private static func alive(_ peer: UInt8, session: UInt8, _ microsecondsPerBeat: Int64, plays: Bool)
    -> [UInt8]
  {
    Array("_asdp_v".utf8) + [1, 1, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, peer]
      + Array("tmln".utf8) + bytes(UInt32(24)) + bytes(microsecondsPerBeat) + [UInt8](repeating: 0, count: 16)
      + Array("sess".utf8) + bytes(UInt32(8)) + [0, 0, 0, 0, 0, 0, 0, session]
      + Array("stst".utf8) + bytes(UInt32(17)) + [plays ? 1 : 0] + [UInt8](repeating: 0, count: 16)
      + Array("mep4".utf8) + bytes(UInt32(6)) + [10, 0, 0, peer] + bytes(UInt16(4000))
  }

  private static func source(_ peer: UInt8, _ interface: String = "eth0") -> PeerTable.Source {
    PeerTable.Source(interface: interface, address: "10.0.0.\(peer)", port: 3000)
  }

  /// Has all peers that are there pinged, and answered after so many milliseconds.
  private static func answer(_ table: inout PeerTable, _ silent: Set<UInt8> = []) {
    for step in 0..<8 {
      let time = Duration.milliseconds(step * 200)
      for ping in table.takeDuePings(at: time) where !silent.contains(ping.endpoint.address[3]) {
        let answer =
          Array("_link_v".utf8) + [1, 2] + Ping.message(carrying: ping.number).dropFirst(9)
        table.answered(answer, from: ping.endpoint, at: time + .microseconds(1250))
      }
    }
  }

  @Test func `Each peer has a line in aligned columns, and the last line has the sessions`() {
    var table = PeerTable()
    table.heard(Self.alive(2, session: 2, 500_000, plays: true), from: Self.source(2), at: .zero)
    table.heard(Self.alive(2, session: 2, 500_000, plays: true), from: Self.source(2, "wlan0"), at: .zero)
    table.heard(Self.alive(30, session: 2, 500_000, plays: false), from: Self.source(30), at: .seconds(1))
    Self.answer(&table)
    let bridge = LocalPrograms.Program(process: 1, name: "jackstay", bridge: "stage\u{1B}")
    let report = PeerReport(table: table, programs: [NodeID(30): bridge], time: .seconds(2))
    #expect(
      report.lines == [
        "address    interface    tempo   state    session  round trip  heard for  program",
        "10.0.0.2   eth0, wlan0  120.00  playing  1        1.25 ms     2.0 s",
        "10.0.0.30  eth0         120.00  stopped  1        1.25 ms     1.0 s      the bridge \"stage\\u{1B}\"",
        "2 peers in one session at 120.00 bpm",
      ])
    let objects = report.objects
    #expect(
      objects.map(\.line) == [
        #"{"peer":"0000000000000002","address":"10.0.0.2","interface":"eth0 wlan0","tempo":120,"playing":true,"#
          + #""session":"0000000000000002","same_session":true,"measurable":true,"round_trip_ms":1.25,"heard_s":2}"#,
        #"{"peer":"000000000000001e","address":"10.0.0.30","interface":"eth0","tempo":120,"playing":false,"#
          + #""session":"0000000000000002","same_session":true,"measurable":true,"round_trip_ms":1.25,"heard_s":1,"#
          + #""program":"jackstay","bridge":"stage\u001b"}"#,
        #"{"peers":2,"sessions":1,"listened_s":2,"malformed":0,"unknown_version":0,"other_groups":0,"beyond_room":0}"#,
      ])
  }

  @Test
  func `The session of the bridge is the first one, and a peer that does not answer has a line of its own`() {
    var table = PeerTable()
    for peer: UInt8 in [1, 2, 3] {
      table.heard(
        Self.alive(peer, session: peer == 3 ? 3 : 1, 500_000, plays: false), from: Self.source(peer),
        at: .zero)
    }
    Self.answer(&table, [2])
    let bridge = LocalPrograms.Program(process: 1, name: "jackstay", bridge: "jackstay")
    let report = PeerReport(table: table, programs: [NodeID(3): bridge], time: .seconds(2))
    #expect(report.lines[1].hasPrefix("10.0.0.3") && report.lines[3].contains("  2        no answer  "))
    #expect(
      report.lines[4].hasPrefix(
        "10.0.0.2 is heard, and not measurable: a firewall lets in UDP port 20808 alone, or"))
    #expect(report.lines.last == "3 peers in 2 sessions")
    #expect(report.objects.map { $0["same_session"]?.boolean } == [true, false, false, nil])
    #expect(report.objects[2]["measurable"] == false && report.objects[2]["round_trip_ms"] == nil)
  }

  @Test func `Datagrams that were ignored are one line, however many they are`() {
    var table = PeerTable()
    for version in 2...9 as ClosedRange<UInt8> {
      for _ in 0..<1000 {
        table.heard(Array("_asdp_v".utf8) + [version], from: Self.source(1), at: .zero)
        table.heard([version], from: Self.source(1), at: .zero)
      }
    }
    let lines = PeerReport(table: table, programs: [:], time: .seconds(2)).lines
    #expect(lines.count == 2)
    #expect(
      lines[0].hasPrefix(
        "ignored datagrams: 8000 that are no messages of Link's, 1000 of Link's protocol version 2,"))
    #expect(
      lines[1] == "no peer was heard in 2.0 s: a program is a peer while its Link is on, in this network")
  }

  @Test func `A wait that ends with fewer peers is no success, and the last line names the number`() {
    var table = PeerTable()
    var report = PeerReport(table: table, programs: [:], time: .seconds(10), wanted: 1)
    #expect(!report.isEnough && report.lines == ["no peer was heard; waited 10.0 s for 1 peer"])
    table.heard(Self.alive(1, session: 1, 600_000, plays: false), from: Self.source(1), at: .zero)
    report = PeerReport(table: table, programs: [:], time: .seconds(10), wanted: 2)
    #expect(!report.isEnough)
    #expect(report.lines.last == "1 peer in one session at 100.00 bpm; waited 10.0 s for 2 peers")
    #expect(PeerReport(table: table, programs: [:], time: .seconds(10), wanted: 1).isEnough)
  }

  @Test func `The options of the command follow it, and a bridge's options are refused in one line`() throws {
    func parsed(_ words: String...) throws -> any ParsableCommand {
      try Jackstay.parsedCommand(words.map { Array($0.utf8) })
    }
    let peers = try #require(parsed("peers", "--wait", "2", "--within=30s", "--json") as? Peers)
    #expect(peers.wait == "2" && peers.within == "30s" && peers.json)
    #expect(try parsed("peers") is Peers)
    for words in [
      ["--wait", "peers"], ["--tempo", "96", "peers"], ["peers", "--wait"], ["peers", "--no-wait"],
      ["peers", "--wait", "2", "--wait", "3"], ["peers", "2"], ["peers", "--name", "x"],
      ["--within", "2s", "peers"],
    ] {
      let error = #expect(throws: SettingsError.self, "\(words)") {
        try Jackstay.parsedCommand(words.map { Array($0.utf8) })
      }
      #expect(error?.lines.count == 1, "\(words)")
    }
    // That of a bridge that begins is another one.
    #expect(try parsed("run", "--wait") is Run)
  }

  @Test func `Times have a unit or are seconds, and all else is one line with an example`() throws {
    for (text, milliseconds) in [
      ("10s", 10000), ("0.1s", 100), ("100ms", 100), ("2", 2000), ("1.5", 1500), ("60m", 3_600_000),
    ] {
      #expect(try Peers.time(text) == .milliseconds(milliseconds), "\(text)")
    }
    for text in ["", "s", "0", "99ms", "61m", "1h", "-1s", "1e3", "nan", "1 s", "1,5", "..", "١s"] {
      let error = #expect(throws: SettingsError.self, "\(text)") { try Peers.time(text) }
      #expect(error?.description.hasSuffix("expected 0.1s to 60m, for example --within 10s") == true)
    }
    #expect(try Peers.count("256") == 256)
    for text in ["0", "257", "-1", "1.0", "two", "", "99999999999999999999"] {
      let error = #expect(throws: SettingsError.self, "\(text)") { try Peers.count(text) }
      #expect(error?.description.hasSuffix("expected 1 to 256, for example --wait 2") == true)
    }
  }
}
