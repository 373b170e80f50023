import Foundation
import Glibc
import JSON
import Stage
import Testing

/// `jackstay peers` beside real peers of Link, in networks of its own.
@Suite(.serialized, .alone) struct PeersTests {
  private let folder: RuntimeFolder

  init() throws { folder = try RuntimeFolder() }

  private struct Answer {
    let status: Stage.ExitStatus
    let peers: [JSONObject]
    let all: JSONObject
  }

  private func start(_ words: [String]) throws -> Child {
    try Child(
      Products.path("jackstay"), ["peers", "--json"] + words,
      environment: folder.environment.merging(["HOME": "/nowhere", "XDG_CONFIG_HOME": nil]) { $1 })
  }

  private func answer(of child: Child) throws -> Answer {
    let status = try child.wait(timeout: .seconds(60))
    let objects = try child.lines().map { try JSONObject(parsing: $0.utf8) }
    #expect(child.text(of: .errors).isEmpty)
    let all = try #require(objects.last)
    #expect(all["peers"]?.number == Double(objects.count - 1))
    return Answer(status: status, peers: objects.dropLast(), all: all)
  }

  private func heard(_ words: String...) throws -> Answer { try answer(of: start(words)) }

  private func probe(bpm: Double, _ name: String) throws -> Child {
    let child = try Child(
      Products.path("linkprobe"), ["-n", name, "-b", "\(bpm)", "--no-jack"], streams: .pipes)
    try child.write("enable 1\n")
    try child.awaitLine("the peer \(name)") { $0.contains("\"done\":\"enable 1\"") }
    return child
  }

  /// The number of peers that a probe sees.
  private func peers(of probe: Child) throws -> Int {
    let first = probe.lines().count
    try probe.write("peers\n")
    let line = try probe.awaitLine(from: first, "the peers") { $0.contains("\"peers\":") }
    return try Int(#require(JSONObject(parsing: line.text.utf8)["peers"]?.number))
  }

  @Test func `Two peers are one session, each with its address, tempo, round trip and program`() throws {
    let probes = [try probe(bpm: 97, "a"), try probe(bpm: 97, "b")]
    #expect(eventually { (try? peers(of: probes[0])) == 1 })
    let answer = try heard("--wait", "2", "--within", "60s")
    #expect(answer.status == .exited(0) && answer.all["sessions"] == 1)
    #expect(answer.peers.count == 2)
    for peer in answer.peers {
      #expect(peer["address"] == "127.0.0.1" && peer["interface"] == "lo")
      #expect(peer["tempo"]?.number.map { abs($0 - 97) < 0.01 } == true && peer["playing"] == false)
      #expect(peer["same_session"] == true && peer["measurable"] == true)
      #expect(peer["round_trip_ms"]?.number.map { $0 > 0 && $0 < 1000 } == true)
      #expect(peer["program"] == "linkprobe" && peer["bridge"] == nil)
    }
    #expect(Set(answer.peers.compactMap { $0["session"]?.string }).count == 1)
    #expect(Set(answer.peers.compactMap { $0["peer"]?.string }).count == 2)
  }

  @Test func `Three peers are counted, a wait for more is in vain, and a peer that leaves is gone at once`()
    throws
  {
    let probes = [try probe(bpm: 97, "a"), try probe(bpm: 97, "b"), try probe(bpm: 97, "c")]
    #expect(try heard("--wait", "3", "--within", "60s").status == .exited(0))
    let missing = try heard("--wait", "4", "--within", "1s")
    #expect(missing.status == .exited(1) && missing.all["peers"] == 3)
    probes[2].closeInput()
    #expect(try probes[2].wait().isSuccess)
    #expect(try heard().all["peers"] == 2)
  }

  @Test func `The listener joins no session, and no peer sees it`() throws {
    let alone = try probe(bpm: 111, "a")
    let listener = try start(["--within", "3s"])
    #expect(eventually { DiscoveryPort.users == 2 })
    var most = 0
    while listener.isRunning { most = max(most, try peers(of: alone)) }
    let answer = try answer(of: listener)
    #expect(most == 0 && answer.peers.count == 1)
    #expect(answer.peers.first?["tempo"]?.number.map { abs($0 - 111) < 0.01 } == true)
  }

  @Test func `Peers keep each other while it listens, and peers that begin meanwhile find each other`() throws
  {
    let (a, b) = (try probe(bpm: 97, "a"), try probe(bpm: 97, "b"))
    #expect(eventually { (try? peers(of: a)) == 1 && (try? peers(of: b)) == 1 })
    let listener = try start(["--within", "12s"])
    #expect(eventually { DiscoveryPort.users == 3 })
    // As long as a peer remembers another one that it does not hear.
    let end = ContinuousClock.now + .seconds(7)
    var fewest = 1
    while ContinuousClock.now < end { fewest = min(fewest, try peers(of: a), try peers(of: b)) }
    #expect(fewest == 1)
    let c = try probe(bpm: 97, "c")
    #expect(eventually { (try? peers(of: c)) == 2 && (try? peers(of: a)) == 2 })
    #expect(listener.isRunning)
    #expect(try answer(of: listener).peers.count == 3)
  }

  @Test
  func `A datagram to one machine alone never comes to the listener, but to the peer that shares the port`()
    throws
  {
    // As Link has it: bound to any address of this machine.
    let other = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
    defer { close(other) }
    var (yes, address) = (Int32(1), sockaddr_in())
    setsockopt(other, SOL_SOCKET, SO_REUSEADDR, &yes, 4)
    (address.sin_family, address.sin_port) = (sa_family_t(AF_INET), DiscoveryPort.number.bigEndian)
    func withAddress(_ call: (UnsafePointer<sockaddr>, socklen_t) -> Int) -> Int {
      withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          call($0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
      }
    }
    #expect(withAddress { Int(bind(other, $0, $1)) } == 0)
    let listener = try start(["--within", "2s"])
    #expect(eventually { DiscoveryPort.users == 2 })
    let sender = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
    defer { close(sender) }
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let message = Array("unicast".utf8)
    for _ in 0..<20 { #expect(withAddress { sendto(sender, message, message.count, 0, $0, $1) } == 7) }
    var bytes = [UInt8](repeating: 0, count: 16)
    for _ in 0..<20 { #expect(recv(other, &bytes, bytes.count, Int32(MSG_DONTWAIT)) == 7) }
    #expect(try answer(of: listener).all["malformed"] == 0)
  }

  @Test func `A peer that dies without a goodbye is gone six seconds later, and listed until then`() throws {
    let (a, b) = (try probe(bpm: 97, "a"), try probe(bpm: 97, "b"))
    #expect(eventually { (try? peers(of: a)) == 1 })
    let listener = try start(["--within", "9s"])
    let short = try start(["--wait", "2", "--within", "60s"])
    #expect(try answer(of: short).peers.count == 2)
    b.kill()
    #expect(try answer(of: listener).peers.count == 1)
  }

  @Test func `A flood of datagrams that are no messages is counted, and hides no peer`() throws {
    let alone = try probe(bpm: 97, "a")
    let listener = try start(["--within", "4s"])
    #expect(eventually { DiscoveryPort.users == 2 })
    let sender = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
    defer { close(sender) }
    var own = in_addr(s_addr: UInt32(0x7F00_0001).bigEndian)
    setsockopt(sender, Int32(IPPROTO_IP), Int32(IP_MULTICAST_IF), &own, 4)
    var address = sockaddr_in()
    (address.sin_family, address.sin_port) = (sa_family_t(AF_INET), DiscoveryPort.number.bigEndian)
    address.sin_addr.s_addr = UInt32(0xE04C_4E4B).bigEndian
    let kinds: [[UInt8]] = [
      [], [1, 2, 3], [UInt8](repeating: 7, count: 1400), Array("_asdp_v".utf8) + [1, 1, 5],
      Array("_asdp_v".utf8) + [2, 1, 5],
    ]
    var sent = 0
    while listener.isRunning, sent < 50_000 {
      for bytes in kinds {
        withUnsafePointer(to: &address) {
          $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            if sendto(sender, bytes, bytes.count, 0, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) >= 0 {
              sent += 1
            }
          }
        }
      }
      usleep(200)
    }
    let answer = try answer(of: listener)
    #expect(answer.status == .exited(0) && answer.peers.count == 1)
    #expect(answer.all["malformed"]?.number.map { $0 > 1000 && $0 <= Double(sent) } == true, "\(answer.all)")
    #expect(answer.all["unknown_version"]?.number.map { $0 > 100 } == true)
    #expect(try peers(of: alone) == 0)
  }

  @Test func `The bridge of this machine is named, by its name`() throws {
    let scene = try Scene(environment: folder.environment)
    try scene.probe.send("enable 1")
    let answer = try heard("--wait", "2", "--within", "60s")
    #expect(answer.status == .exited(0))
    let programs = Set(answer.peers.map { "\($0["program"]?.string ?? "") \($0["bridge"]?.string ?? "")" })
    #expect(programs == ["linkprobe ", "jackstay jackstay"], "\(programs)")
    #expect(scene.bridge.isRunning)
  }

  @Test func `Where another program keeps the port to itself one line names it`() throws {
    let other = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
    defer { close(other) }
    var address = sockaddr_in()
    (address.sin_family, address.sin_port) = (sa_family_t(AF_INET), DiscoveryPort.number.bigEndian)
    withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        #expect(bind(other, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0)
      }
    }
    let child = try start([])
    #expect(try child.wait() == .exited(1) && child.lines().isEmpty)
    #expect(child.lines(of: .errors).count == 1)
    #expect(child.text(of: .errors).contains("keeps UDP port 20808"))
  }

  // MARK: Networks of several machines

  /// Link 3.1 and newer have others of IPv6 besides.
  private func firstAddress(_ peer: JSONObject) -> String? {
    peer["address"]?.string?.split(separator: " ").first.map(String.init)
  }

  private func answers(_ script: String) throws -> [[JSONObject]] {
    var answers: [[JSONObject]] = [[]]
    for line in try Machines.lines(of: script, folder.environment) {
      let object = try JSONObject(parsing: line.utf8)
      answers[answers.count - 1].append(object)
      if object["peers"] != nil { answers.append([]) }
    }
    return answers.dropLast()
  }

  @Test(.enabled(if: Machines.areThere, "unshare or nft is not installed"))
  func `Peers of other machines have their address, and the interface of this one`() throws {
    let answers = try answers(
      """
      machine a 10.9.0.1/24; machine b 10.9.0.2/24; machine c 10.9.0.3/24
      peer a 97; peer b 97
      peers c --wait 2 --within 30s
      """)
    let peers = try #require(answers.first?.dropLast())
    #expect(Set(peers.map(firstAddress)) == ["10.9.0.1", "10.9.0.2"])
    #expect(peers.allSatisfy { $0["interface"] == "card" && $0["program"] == nil })
    #expect(peers.allSatisfy { $0["measurable"] == true })
  }

  @Test(.enabled(if: Machines.areThere, "unshare or nft is not installed"))
  func `A firewall that opens port 20808 alone leaves a peer heard, and not measurable`() throws {
    let answers = try answers(
      """
      machine a 10.9.0.1/24; machine b 10.9.0.2/24
      wall a
      peer a 97; peer b 131
      peers b --wait 2 --within 30s
      peers b --within 3s
      """)
    let peers = try #require(answers.last?.dropLast())
    #expect(peers.count == 2)
    let walled = try #require(peers.first { firstAddress($0) == "10.9.0.1" })
    #expect(walled["measurable"] == false && walled["round_trip_ms"] == nil)
    #expect(peers.first { $0["address"] == "127.0.0.1" }?["measurable"] == true)
    // The walled peer measures nothing, and is not measured: two sessions that hear each other.
    #expect(answers.last?.last?["sessions"] == 2)
  }

  @Test(.enabled(if: Machines.areThere, "unshare or nft is not installed"))
  func `Two sessions that a cable joins are two at first, then one`() throws {
    let answers = try answers(
      """
      machine a 10.9.0.1/24; machine b 10.9.0.2/24; machine c 10.9.0.3/24
      ip link set cable_b down
      peer a 97; peer b 131
      peers c --wait 1 --within 30s
      peers b --wait 1 --within 30s
      ip link set cable_b up
      peers c --wait 2 --within 30s
      for turn in 1 2 3 4 5; do peers c; done
      """)
    #expect(answers[0].count == 2 && firstAddress(answers[0][0]) == "10.9.0.1")
    #expect(answers[1].count == 2 && answers[1][0]["tempo"]?.number.map { abs($0 - 131) < 0.01 } == true)
    #expect(answers[2].last?["peers"] == 2)
    let last = try #require(answers.last)
    #expect(last.last?["sessions"] == 1 && last.last?["peers"] == 2, "\(last)")
    #expect(Set(last.dropLast().compactMap { $0["tempo"]?.number?.rounded() }).count == 1)
  }

  @Test(.enabled(if: Machines.areThere, "unshare or nft is not installed"))
  func `A peer that is heard on two interfaces is one peer with both named`() throws {
    let answers = try answers(
      """
      machine a 10.9.0.1/24; machine b 10.9.0.2/24
      ip link add other type bridge mcast_snooping 0; ip link set other up
      for name in a b; do
        eval pid=\\$pid_$name
        ip link add second_$name type veth peer name second netns $pid
        ip link set second_$name master other up
        [ $name = a ] && address=10.8.0.1/24 || address=10.8.0.2/24
        on $name ip address add $address dev second
        on $name ip link set second up
      done
      peer a 97
      peers b --wait 1 --within 30s
      peers b
      """)
    let peer = try #require(answers.last?.first)
    #expect(answers.last?.count == 2)
    #expect(Set(peer["interface"]?.string?.split(separator: " ") ?? []) == ["card", "second"], "\(peer)")
    let addresses = peer["address"]?.string?.split(separator: " ") ?? []
    #expect(Set(addresses.prefix(2)) == ["10.9.0.1", "10.8.0.1"])
  }
}
