import JSON
import Reconciliation
import Words

/// The doctor's findings: each fact is judged by itself, in the order in which one would correct them.
enum Checkup {
  /// All findings.
  static func findings(_ facts: CheckupFacts) -> [Finding] {
    configuration(facts) + [server(facts)] + knownFaults(facts) + bridge(facts) + running(facts)
      + [realtime(facts), memory(facts)] + network(facts) + [port(facts), peers(facts)] + heard(facts)
      + startStop(facts)
      + choices(facts)
      + [firewall(facts)].compactMap(\.self) + ardour(facts)
  }

  private static func configuration(_ facts: CheckupFacts) -> [Finding] {
    guard let fault = facts.configurationFault else { return [] }
    return [
      Finding(
        "config", .fault, "no bridge can start with this configuration: \(fault)",
        remedy: "correct that place, and check it with: jackstay config check")
    ]
  }

  // MARK: JACK

  private static func kind(_ library: String) -> String {
    if library.contains("PipeWire") { return "PipeWire's JACK" }
    if library.hasPrefix("0.") { return "jackd1" }
    return "jackd2"
  }

  private static func server(_ facts: CheckupFacts) -> Finding {
    let library = "\(kind(facts.library)) (library \(facts.library))"
    switch facts.server {
    case .running(let server):
      let milliseconds = Double(server.bufferFrames) / server.rate * 1000
      let text = """
        \(library), server "\(server.name)", \(server.rate.formatted(decimals: 0)) Hz, \(server.bufferFrames) frames \
        (\(milliseconds.formatted(decimals: 1)) ms)
        """
      guard kind(facts.library) != "jackd1" else {
        return Finding(
          "server", .warning, "\(text): Jackstay is tested with jackd2 and PipeWire",
          remedy: "if starts or positions are off, use jackd2: apt install jackd2")
      }
      return Finding("server", .ok, text)
    case .absent(let reason):
      if facts.hasPipeWire, kind(facts.library) != "PipeWire's JACK" {
        return Finding(
          "server", .fault, "PipeWire runs, but this program was started with jackd2's library: \(reason)",
          remedy:
            "install pipewire-jack, and name no server by --server or JACK_DEFAULT_SERVER; "
            + "or start it by: pw-jack jackstay")
      }
      // A second server beside one that runs takes its sound card, or gets none.
      if facts.bridge?["state"] == "bridging" {
        return Finding(
          "server", .fault, "\(library) reaches no server, but the bridge has one: \(reason)",
          remedy:
            "start the doctor like that bridge: with the same JACK_DEFAULT_SERVER, by pw-jack or without it")
      }
      if kind(facts.library) == "PipeWire's JACK" {
        return Finding(
          "server", .fault, "\(library), and no PipeWire: \(reason)",
          remedy: "start it: systemctl --user start pipewire; or use jackd2's library, without pw-jack")
      }
      return Finding(
        "server", .fault, "\(library), and no server: \(reason)",
        remedy: "start one, for example with qjackctl, or: jackd -d alsa -r 48000 -p 256")
    case .renders:
      return Finding(
        "server", .warning, "\(library), and JACK is freewheeling (export), so it was not checked",
        remedy: "run jackstay doctor again when the export ends")
    case .unreachable(let text, let remedy):
      return Finding("server", .fault, "\(library): \(text)", remedy: remedy)
    case .hangs:
      return Finding(
        "server", .fault, "\(library), and the server does not answer",
        remedy: "a JACK program may hang; end the one that was started last, or restart the server")
    }
  }

  /// The known faults of the PipeWire that the library is of.
  private static func knownFaults(_ facts: CheckupFacts) -> [Finding] {
    guard let version = PipeWireVersion(libraryVersion: facts.library),
      PipeWireVersion.losesMIDI.contains(version)
    else { return [] }
    return [
      Finding(
        "pipewire", .warning,
        "PipeWire \(version) may lose MIDI events, so programs that follow a MIDI clock may drift or stop",
        remedy: "install PipeWire 1.6.8 or newer, or use jackd2 where MIDI matters")
    ]
  }

  private static func running(_ facts: CheckupFacts) -> [Finding] {
    guard case .running(let server) = facts.server else { return [] }
    return [clocks(server, facts), timebase(server, facts), latency(server), programs(server, facts)]
  }

  private static func clocks(_ server: CheckupFacts.Server.Running, _ facts: CheckupFacts) -> Finding {
    // A bridge has watched them for longer.
    let offset = facts.bridge?["clock_offset_us"]?.number ?? server.clockOffset
    let drift = facts.bridge?["clock_drift_ppm"]?.number ?? server.clockDrift
    let distance = offset.magnitude
    let drifts = "drift by \(drift.formatted(decimals: 2)) ppm"
    let text: String
    let level: Finding.Level
    if distance < 1000 {
      level = .ok
      text = "Link's and JACK's clocks are \(distance.formatted(decimals: 1)) us apart and \(drifts)"
    } else {
      // PipeWire's and Link's are different clocks of the system's.
      let apart =
        distance < 1e6
        ? "\((distance / 1000).formatted(decimals: 1)) ms" : "\((distance / 1e6).formatted(decimals: 3)) s"
      level = .note
      text =
        "JACK has another clock than Link: they are \(apart) apart and \(drifts); a bridge converts between them"
    }
    // NTP slews by 500 at most.
    guard drift.magnitude <= 500 else {
      return Finding(
        "clocks", .warning, text,
        remedy: "a clock was set just now, or the machine is busy; repeat this in a minute")
    }
    return Finding("clocks", level, text)
  }

  private static func timebase(_ server: CheckupFacts.Server.Running, _ facts: CheckupFacts) -> Finding {
    switch facts.bridge?["timebase"]?.string {
    case "bridge": return Finding("timebase", .ok, "the bridge owns JACK's timebase")
    case "other":
      guard facts.bridge?["leader"] == "neither" else {
        return Finding("timebase", .note, "another program owns JACK's timebase, and Link follows it")
      }
      return Finding(
        "timebase", .warning, "another program owns JACK's timebase, and Link does not follow it",
        remedy:
          "to have Link follow it: jackstay mode auto; or turn off \"JACK time master\" in that program (in Ardour, in the "
          + "session's properties)")
    default:
      return server.showsPosition
        ? Finding(
          "timebase", .note, "a program owns JACK's timebase; in mode auto Link will follow it")
        : Finding("timebase", .ok, "no program owns JACK's timebase, so a bridge takes it")
    }
  }

  private static func latency(_ server: CheckupFacts.Server.Running) -> Finding {
    guard let frames = server.latencyFrames, !server.outputs.isEmpty else {
      return Finding(
        "latency", .warning, "JACK has no physical outputs, so nothing is heard and no latency is known",
        remedy: "connect a sound card, or choose a latency: jackstay --latency 12.5")
    }
    let milliseconds = (Double(frames) / server.rate * 1000).formatted(decimals: 1)
    let ports = server.outputs.count == 1 ? "1 output" : "\(server.outputs.count) outputs"
    guard frames > 0 else {
      return Finding(
        "latency", .warning,
        "\(ports), but JACK reports no latency for them, and every sound card has some",
        remedy: "measure it with jack_iodelay, and start the server with what that says, or use --latency MS")
    }
    return Finding("latency", .ok, "\(ports), output latency \(milliseconds) ms")
  }

  private static func programs(_ server: CheckupFacts.Server.Running, _ facts: CheckupFacts) -> Finding {
    guard !server.heard.isEmpty else { return Finding("programs", .note, "no program is heard") }
    let text = "heard: \(server.heard.joined(separator: ", "))"
    guard let bridge = facts.bridge else { return Finding("programs", .ok, text) }
    let compensating = bridge["compensating"]?.string?.replacing(":", with: ", ")
    let others = bridge["not_compensating"]?.string?.replacing(":", with: ", ")
    switch (compensating, others) {
    case (nil, _):
      return Finding(
        "programs", .ok, "\(text); none compensates for the output latency itself, so the bridge does")
    case (let compensating?, nil):
      return Finding(
        "programs", .ok, "\(text); the output latency is left to \(compensating)")
    case (let compensating?, let others?):
      return Finding(
        "programs", .warning,
        "\(compensating) compensates for the output latency and \(others) does not, so one of them is off by it",
        remedy: "name the first kind with --compensating, or play one kind at a time")
    }
  }

  private static func bridge(_ facts: CheckupFacts) -> [Finding] {
    if let silence = facts.bridgeSilence {
      guard !facts.hasSeveralBridges else { return [Finding("bridge", .unknown, silence)] }
      let parts = silence.split(separator: "; ", maxSplits: 1)
      return [
        Finding("bridge", .fault, String(parts[0]), remedy: parts.count > 1 ? String(parts[1]) : "check it")
      ]
    }
    guard let bridge = facts.bridge else {
      return [Finding("bridge", .note, "no bridge runs; start one with: jackstay")]
    }
    let isOutOfLink = bridge["link"] == false
    return [standing(of: bridge, facts)]
      + (isOutOfLink
        ? [
          Finding(
            "link", .warning, "Link is off, so the bridge is not in the session",
            remedy: "to join it: jackstay link on")
        ] : [])
  }

  private static func standing(of bridge: JSONObject, _ facts: CheckupFacts) -> Finding {
    let name = bridge["name"]?.string ?? "jackstay"
    switch bridge["state"]?.string {
    case "bridging":
      let sides = bridge["link"] == false ? "is in JACK alone" : "joins JACK and Link"
      return Finding("bridge", .ok, "\"\(name)\" \(sides), mode \(bridge["mode"]?.string ?? "auto")")
    case "standing_by": return Finding("bridge", .note, "\"\(name)\" stands by for another bridge")
    case "awaiting_export": return Finding("bridge", .note, "\"\(name)\" waits for the end of JACK's export")
    default:
      guard case .running = facts.server else {
        return Finding("bridge", .note, "\"\(name)\" waits for a JACK server")
      }
      return Finding(
        "bridge", .warning, "\"\(name)\" waits for a JACK server, and there is one",
        remedy:
          "name the server: jackstay --server NAME; for PipeWire, start the bridge again without a name"
      )
    }
  }

  // MARK: The system

  private static func realtime(_ facts: CheckupFacts) -> Finding {
    guard let refusal = facts.realtimeRefusal else {
      return Finding("real time", .ok, "threads of this user may run in real time")
    }
    return Finding(
      "real time", .warning,
      "threads of this user may not run in real time (\(refusal)): deadlines will be missed",
      remedy:
        "sudo usermod -aG audio $USER, put \"@audio - rtprio 95\" into /etc/security/limits.d/audio.conf, log in again"
    )
  }

  /// As much as JACK, its clients and a program's libraries take together.
  private static let enoughMemory: UInt64 = 64 << 20

  private static func memory(_ facts: CheckupFacts) -> Finding {
    guard let bytes = facts.lockableBytes else {
      return Finding("memory", .ok, "as much memory may be locked as there is")
    }
    let amount = bytes < 1 << 20 ? "\(bytes >> 10) KiB" : "\(bytes >> 20) MiB"
    let text = "\(amount) of memory may be locked"
    guard bytes < enoughMemory else { return Finding("memory", .ok, text) }
    return Finding(
      "memory", .warning,
      "\(text), which is less than JACK's programs need: memory that is swapped out comes too late",
      remedy: "put \"@audio - memlock unlimited\" into /etc/security/limits.d/audio.conf, and log in again")
  }

  // MARK: The network

  /// Two machines, a cable, and no fault: addresses that every Link takes for one network.
  private static let fixedAddresses =
    "give each machine its own address of one /24 network: "
    + "nmcli connection modify NAME ipv4.method manual ipv4.addresses 192.168.77.1/24"

  private static func network(_ facts: CheckupFacts) -> [Finding] {
    // Nothing was tried where another program has the port.
    guard facts.portRefusal == nil else { return [] }
    let outward = facts.interfaces.filter { !$0.isLoopback }
    guard !outward.isEmpty else {
      return [
        Finding(
          "network", .warning,
          "no network interface has an IPv4 address, so only programs of this machine can be peers",
          remedy: "connect a network; where there is no router, \(fixedAddresses)")
      ] + facts.interfaces.compactMap { interface($0, facts) }
    }
    return outward.compactMap { interface($0, facts) } + outward.compactMap { version6($0, facts) }
      + outward.compactMap { wideNetwork($0, facts) }
      + sharedNetworks(outward)
  }

  private static func interface(_ interface: CheckupFacts.Interface, _ facts: CheckupFacts) -> Finding? {
    let name = "\(interface.name), \(interface.address)/\(interface.networkBits)"
    guard interface.takesMulticast || interface.discovery == nil else {
      // Link does not need it on the loopback interface.
      guard !interface.isLoopback else { return nil }
      return Finding(
        "network", .warning, "\(name): takes no multicast, so no peer is found there",
        remedy: "sudo ip link set \(interface.name) multicast on")
    }
    switch (interface.discovery, interface.measurement) {
    case (nil, nil):
      let besides = interface.version6 == .comesBack ? ", and by IPv6 those to ff12::8080" : ""
      return Finding("network", .ok, "\(name): packets to Link's group 224.76.78.75 come back\(besides)")
    case (.filtered?, _):
      return Finding(
        "network", .fault,
        "\(name): a firewall drops packets to Link's group 224.76.78.75 and port 20808: no peer is found there",
        remedy: opening(interface.network, facts))
    case (nil, .filtered?):
      return Finding(
        "network", .fault,
        "\(name): a firewall lets in UDP port 20808, and no other: Link measures peers by a port of its own on each "
          + "interface, so some are never found",
        remedy: opening(interface.network, facts))
    case (.untried(let reason)?, _), (nil, .untried(let reason)?):
      return Finding("network", .unknown, "\(name): no packet could be tried (\(reason))")
    }
  }

  /// Link 3.1 and newer find peers by IPv6 besides.
  private static func version6(_ interface: CheckupFacts.Interface, _ facts: CheckupFacts) -> Finding? {
    guard interface.takesMulticast, interface.discovery == nil, interface.measurement == nil,
      interface.version6 == .fails(.filtered)
    else { return nil }
    let text = "\(interface.name): a firewall drops IPv6 packets to Link's group ff12::8080"
    guard facts.linkRelease != "3.0" else {
      return Finding("network", .note, "\(text), which this Jackstay, with Link 3.0, does not use")
    }
    return Finding(
      "network", .warning, "\(text): peers are found by IPv4 alone",
      remedy: opening("fe80::/10", facts, isVersion6: true))
  }

  /// The command that lets a network's packets through the firewall.
  private static func opening(_ network: String, _ facts: CheckupFacts, isVersion6: Bool = false) -> String {
    let active = facts.firewalls.filter(\.isActive)
    if active.contains(where: { $0.name == "ufw" }) {
      return "let in all UDP from this network: sudo ufw allow proto udp from \(network)"
    }
    if active.contains(where: { $0.name == "firewalld" }) {
      let family = isVersion6 ? "ipv6" : "ipv4"
      let rule = "rule family=\(family) source address=\(network) protocol value=udp accept"
      return
        "let in all UDP from this network: sudo firewall-cmd --permanent --add-rich-rule='\(rule)', "
        + "then sudo firewall-cmd --reload"
    }
    if active.map(\.name) == ["iptables"] {
      return "let in all UDP from this network: "
        + "sudo \(isVersion6 ? "ip6tables" : "iptables") -I INPUT -s \(network) -p udp -j ACCEPT"
    }
    // A chain of IPv4's own takes no rule for IPv6.
    let chain =
      active.lazy.compactMap(\.chain).first { !isVersion6 || $0.hasPrefix("inet ") } ?? "inet filter input"
    return "let in all UDP from this network, and all UDP out; with nftables: "
      + "sudo nft insert rule \(chain) \(isVersion6 ? "ip6" : "ip") saddr \(network) meta l4proto udp accept"
  }

  /// Link 3.1.2 to 4.0.0b1 ignores what comes by IPv4 from peers that differ from it in more than the last number of
  /// their address. By IPv6 it finds those that have Link 3.1 or newer.
  private static func wideNetwork(_ interface: CheckupFacts.Interface, _ facts: CheckupFacts) -> Finding? {
    guard interface.reachesMachines, interface.networkBits < 24 else { return nil }
    let text =
      "\(interface.name), \(interface.network): programs with Link 3.1.2 to 4.0.0b1 find no peer here by IPv4 whose "
      + "address differs from theirs before the last number"
    let speaksVersion6 = facts.linkRelease != "3.0"
    if speaksVersion6, interface.version6 == .comesBack {
      return Finding("network", .note, "\(text); by IPv6 they find this one")
    }
    if let peers = facts.peers, peers > 0 { return Finding("network", .note, text) }
    let besides =
      speaksVersion6
      ? "turn on IPv6 there, by which they find this one"
      : "build Jackstay with Link 4.0, make run LINK=4, which they find by IPv6"
    return Finding("network", .warning, text, remedy: "\(fixedAddresses); or \(besides)")
  }

  /// Interfaces that lead to one network.
  private static func sharedNetworks(_ interfaces: [CheckupFacts.Interface]) -> [Finding] {
    let reaching = interfaces.filter { $0.reachesMachines && $0.networkBits < 32 }
    var networks: [String] = []
    for interface in reaching where !networks.contains(interface.network) {
      networks.append(interface.network)
    }
    return networks.compactMap { network in
      var names: [String] = []
      for interface in reaching where interface.network == network && !names.contains(interface.name) {
        names.append(interface.name)
      }
      guard names.count > 1 else { return nil }
      return Finding(
        "network", .warning,
        "\(names.joined(separator: " and ")) are in one network, \(network): Link may measure its peers by the slower one",
        remedy: "disconnect all but one, and keep a cable rather than Wi-Fi")
    }
  }

  private static func port(_ facts: CheckupFacts) -> Finding {
    guard let refusal = facts.portRefusal else {
      return Finding("port", .ok, "UDP port 20808 can be shared, as Link's peers do")
    }
    return Finding(
      "port", .fault, refusal, remedy: "find the program with sudo ss -ulpn sport = :20808, and end it")
  }

  private static func peers(_ facts: CheckupFacts) -> Finding {
    let release = "Link \(facts.linkRelease)"
    guard let peers = facts.peers else {
      return Finding("peers", .unknown, "Link's peers could not be searched for, with \(release)")
    }
    guard peers > 0 else {
      let text =
        facts.bridge?["peers"] != nil
        ? "the bridge sees no other Link peer, with \(release)"
        : "no other Link peer was found, with \(release)"
      // The reason that keeps them away has been reported.
      guard !isFiltered(facts), facts.bridge?["link"] != false, facts.heard.isEmpty else {
        return Finding("peers", .note, text)
      }
      return Finding(
        "peers", .note,
        "\(text); a program is a peer while its Link is on and it is in this network, and some Wi-Fi keeps devices apart"
      )
    }
    let count = peers == 1 ? "1 other Link peer" : "\(peers) other Link peers"
    return Finding("peers", .ok, "\(count), seen with \(release)")
  }

  /// Peers that are heard and not in the session, with the reason.
  private static func heard(_ facts: CheckupFacts) -> [Finding] {
    let silent = facts.heard.filter { $0.isMeasurable == false }
    let foreign = silent.filter { isOfAnotherNetwork($0, facts) }
    let apart = facts.heard.filter { $0.isMeasurable == true && $0.isInOwnSession == false }
    let far = apart.filter { isBeyondLastNumber($0, facts) }
    // A firewall of this machine that keeps peers away has been reported, with the remedy.
    let isFiltered = isFiltered(facts)
    func finding(_ peers: [CheckupFacts.HeardPeer], _ text: String, _ remedy: String) -> Finding? {
      guard !peers.isEmpty else { return nil }
      let text =
        "\(peers.map(\.address).joined(separator: ", ")) \(peers.count == 1 ? "is" : "are") heard, \(text)"
      return isFiltered ? Finding("peers", .note, text) : Finding("peers", .warning, text, remedy: remedy)
    }
    return [
      finding(
        foreign, "and not measurable: that address is of another network than this machine's", fixedAddresses),
      finding(
        silent.filter { !foreign.contains($0) },
        "and not measurable: a firewall there lets in UDP port 20808 alone, or nothing",
        "let in all UDP of this network in the firewall of that machine"),
      finding(
        far,
        "in another session: that address differs from this machine's before the last number, and Link 3.1.2 to 4.0.0b1 "
          + "ignores such peers", fixedAddresses),
      finding(
        apart.filter { !far.contains($0) }, "in another session: that program does not join this one",
        "turn Link off and on in that program"),
    ].compactMap(\.self)
  }

  /// Whether this machine has no address in the network of a peer.
  private static func isOfAnotherNetwork(_ peer: CheckupFacts.HeardPeer, _ facts: CheckupFacts) -> Bool {
    let own = facts.interfaces.filter { $0.name == peer.interface }
    return !own.isEmpty && !peer.address.contains(":") && !own.contains { $0.reaches(peer.address) }
  }

  /// Whether the address of a peer and that of this machine differ in more than their last number.
  private static func isBeyondLastNumber(_ peer: CheckupFacts.HeardPeer, _ facts: CheckupFacts) -> Bool {
    func network(_ address: String) -> ArraySlice<Substring> { address.split(separator: ".").prefix(3) }
    let own = facts.interfaces.filter { $0.name == peer.interface }
    return !own.isEmpty && !peer.address.contains(":")
      && !own.contains { network($0.address) == network(peer.address) }
  }

  private static func startStop(_ facts: CheckupFacts) -> [Finding] {
    guard facts.bridge?["start_stop_sync"] == false else { return [] }
    return [
      Finding(
        "start/stop", .warning, "starts and stops are not shared with the session",
        remedy: "to share them: jackstay start-stop-sync on")
    ]
  }

  /// The other choices that are not the default; they may be old.
  private static func choices(_ facts: CheckupFacts) -> [Finding] {
    // Link, and starts and stops that are not shared at all, have findings of their own.
    let startStopSync = facts.bridge?["start_stop_sharing"]?.string
    let others = UnusualChoices(
      isLinkEnabled: true, tempoSync: facts.bridge?["tempo_sharing"]?.string,
      startStopSync: startStopSync == "off" ? nil : startStopSync, launch: facts.bridge?["launch"]?.string,
      discipline: facts.bridge?["discipline"]?.string
    ).others
    guard !others.isEmpty else { return [] }
    return [
      Finding("choices", .note, "not the default: \(others.joined(separator: ", "))")
    ]
  }

  /// Whether a firewall of this machine keeps Link's packets from an interface.
  private static func isFiltered(_ facts: CheckupFacts) -> Bool {
    facts.interfaces.contains {
      !$0.isLoopback && $0.takesMulticast && ($0.discovery == .filtered || $0.measurement == .filtered)
    }
  }

  /// The finding about firewalls, where they do not keep Link's packets away: that is a finding about the
  /// interface.
  private static func firewall(_ facts: CheckupFacts) -> Finding? {
    guard !isFiltered(facts) else { return nil }
    let wasTried = facts.interfaces.contains {
      $0.reachesMachines && $0.discovery == nil && $0.measurement == nil
    }
    let active = facts.firewalls.filter(\.isActive).map(\.name)
    guard !active.isEmpty else {
      return wasTried
        ? Finding("firewall", .ok, "none of this machine keeps Link's packets away")
        : nil
    }
    let names = active.joined(separator: " and ")
    let way = facts.interfaces.contains { $0.version6 == .fails(.filtered) } ? " by IPv4" : ""
    return wasTried
      ? Finding("firewall", .ok, "\(names) filters packets, and lets Link's through\(way)")
      : Finding("firewall", .note, "\(names) filters packets")
  }

  private static func ardour(_ facts: CheckupFacts) -> [Finding] {
    guard case .running(let server) = facts.server,
      server.heard.contains(where: { $0.lowercased().hasPrefix("ardour") })
    else { return [] }
    return [
      Finding(
        "ardour", .note,
        "Ardour leads while \"JACK time master\" is on in its session's properties, and follows Link while it is off"
      )
    ]
  }
}
