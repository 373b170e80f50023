import JSON

/// What the doctor makes of the facts: each is judged by itself, in the order in which one would mend them.
enum Checkup {
  /// All findings.
  static func findings(_ facts: CheckupFacts) -> [Finding] {
    [server(facts), bridge(facts)].compactMap(\.self) + running(facts) + [realtime(facts), memory(facts)]
      + interfaces(facts) + [port(facts), peers(facts), startStop(facts)] + firewalls(facts)
      + [ardour(facts)].compactMap(\.self)
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
          "server", .fault, "PipeWire runs, and this program was started with jackd2's library: \(reason)",
          remedy: "start programs with PipeWire's: pw-jack jackstay, and pw-jack jackstay doctor")
      }
      return Finding(
        "server", .fault, "\(library), and no server: \(reason)",
        remedy: "start one, for example with qjackctl, or: jackd -d alsa -r 48000 -p 256")
    case .hangs:
      return Finding(
        "server", .fault, "\(library), and the server does not answer",
        remedy: "a JACK program may hang: end the one that was started last, or restart the server")
    }
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
    let apart =
      distance < 1e6
      ? "\(distance.formatted(decimals: 1)) us" : "\((distance / 1e6).formatted(decimals: 3)) s"
    let side = offset < 0 ? "behind" : "ahead of"
    let text = "Link's clock is \(apart) \(side) JACK's, and drifts by \(drift.formatted(decimals: 2)) ppm"
    // NTP slews by 500 at most.
    guard drift.magnitude <= 500 else {
      return Finding(
        "clocks", .warning, text,
        remedy: "a clock was stepped just now, or the machine is short of time: repeat this in a minute")
    }
    return Finding("clocks", .ok, text)
  }

  private static func timebase(_ server: CheckupFacts.Server.Running, _ facts: CheckupFacts) -> Finding {
    switch facts.bridge?["timebase"]?.string {
    case "ours": return Finding("timebase", .ok, "the bridge owns JACK's timebase")
    case "other":
      guard facts.bridge?["leader"] == "neither" else {
        return Finding("timebase", .note, "another program owns JACK's timebase, and Link follows it")
      }
      return Finding(
        "timebase", .warning, "another program owns JACK's timebase, and nobody follows it",
        remedy:
          "jackstay mode auto has Link follow it; or have that program give it up, in Ardour by turning off "
          + "\"JACK time master\" in the session's properties")
    default:
      return server.showsPosition
        ? Finding(
          "timebase", .note, "some program owns JACK's timebase: in mode auto Link will follow it")
        : Finding("timebase", .ok, "nobody owns JACK's timebase: a bridge takes it")
    }
  }

  private static func latency(_ server: CheckupFacts.Server.Running) -> Finding {
    guard let frames = server.latencyFrames, !server.outputs.isEmpty else {
      return Finding(
        "latency", .warning, "JACK has no physical outputs, so nothing is heard and no latency is known",
        remedy: "connect a sound card, or choose a latency: jackstay --latency 12.5")
    }
    let milliseconds = (Double(frames) / server.rate * 1000).formatted(decimals: 2)
    let ports = server.outputs.count == 1 ? "1 output" : "\(server.outputs.count) outputs"
    guard frames > 0 else {
      return Finding(
        "latency", .warning, "\(ports), and JACK says that they have no latency, which no sound card has not",
        remedy: "measure it with jack_iodelay, and start the server with what that says, or use --latency MS")
    }
    return Finding("latency", .ok, "\(ports), heard \(milliseconds) ms later as JACK knows it")
  }

  private static func programs(_ server: CheckupFacts.Server.Running, _ facts: CheckupFacts) -> Finding {
    guard !server.heard.isEmpty else { return Finding("programs", .note, "no program is heard") }
    let text = "heard: \(server.heard.joined(separator: ", "))"
    guard let bridge = facts.bridge else { return Finding("programs", .ok, text) }
    let compensating = bridge["compensating"]?.string
    let others = bridge["not_compensating"]?.string
    switch (compensating, others) {
    case (nil, _):
      return Finding(
        "programs", .ok, "\(text); none makes up for the output latency itself, so the bridge does")
    case (let compensating?, nil):
      return Finding(
        "programs", .ok, "\(text); it is left to \(compensating) to make up for the output latency")
    case (let compensating?, let others?):
      return Finding(
        "programs", .warning,
        "\(compensating) makes up for the output latency and \(others) does not: one kind is off by it",
        remedy: "say which are of the first kind, --compensating NAMES, or play one kind at a time")
    }
  }

  private static func bridge(_ facts: CheckupFacts) -> Finding {
    guard let bridge = facts.bridge else {
      return Finding("bridge", .note, "no bridge runs; start one with: jackstay")
    }
    let name = bridge["name"]?.string ?? "jackstay"
    switch bridge["state"]?.string {
    case "bridging":
      return Finding(
        "bridge", .ok, "\"\(name)\" joins JACK and Link, mode \(bridge["mode"]?.string ?? "auto")")
    case "standing_by": return Finding("bridge", .note, "\"\(name)\" stands by for another bridge")
    default:
      guard case .running = facts.server else {
        return Finding("bridge", .note, "\"\(name)\" waits for a JACK server")
      }
      return Finding(
        "bridge", .warning, "\"\(name)\" waits for a JACK server, and there is one",
        remedy:
          "name the server: jackstay --server NAME; or start the bridge by pw-jack, if that is PipeWire's")
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
        "sudo usermod -aG audio $USER, have \"@audio - rtprio 95\" in /etc/security/limits.d/audio.conf, log in again"
    )
  }

  /// As much as JACK, its clients and a program's libraries take together.
  private static let enoughMemory: UInt64 = 64 << 20

  private static func memory(_ facts: CheckupFacts) -> Finding {
    guard let bytes = facts.lockableBytes else {
      return Finding("memory", .ok, "as much memory may be locked as there is")
    }
    let text = "\(bytes >> 20) MiB of memory may be locked"
    guard bytes < enoughMemory else { return Finding("memory", .ok, text) }
    return Finding(
      "memory", .warning,
      "\(text), which is less than JACK's programs need: what is swapped out comes too late",
      remedy: "have \"@audio - memlock unlimited\" in /etc/security/limits.d/audio.conf, and log in again")
  }

  // MARK: The network

  private static func interfaces(_ facts: CheckupFacts) -> [Finding] {
    guard facts.interfaces.contains(where: { !$0.isLoopback }) else {
      return [
        Finding(
          "network", .warning,
          "no network interface has an IPv4 address: only programs of this machine are peers",
          remedy:
            "connect a network; without a router, give both sides an address: nmcli connection modify NAME "
            + "ipv4.method link-local")
      ] + facts.interfaces.map(interface)
    }
    return facts.interfaces.map(interface)
  }

  private static func interface(_ interface: CheckupFacts.Interface) -> Finding {
    let name = "\(interface.name), \(interface.address)"
    guard let failure = interface.failure else {
      return Finding("network", .ok, "\(name): a packet to 224.76.78.75, port 20808, came back")
    }
    guard interface.takesMulticast else {
      return Finding(
        "network", interface.isLoopback ? .note : .warning,
        "\(name): takes no multicast, so no peer is found there",
        remedy: interface.isLoopback ? nil : "sudo ip link set \(interface.name) multicast on")
    }
    // Link does not need it there, as long as there is another.
    let level: Finding.Level = interface.isLoopback ? .note : .fault
    return Finding(
      "network", level, "\(name): a packet to 224.76.78.75, port 20808, did not come back (\(failure))",
      remedy: interface.isLoopback
        ? nil : "let UDP to that address and port through the firewall, both in and out, on \(interface.name)"
    )
  }

  private static func port(_ facts: CheckupFacts) -> Finding {
    guard let refusal = facts.portRefusal else {
      return Finding("port", .ok, "UDP port 20808 can be shared, as Link's peers do")
    }
    return Finding(
      "port", .fault, refusal, remedy: "see who has it, sudo ss -ulpn sport = :20808, and end that program")
  }

  private static func peers(_ facts: CheckupFacts) -> Finding {
    guard let peers = facts.peers else {
      return Finding("peers", .unknown, "nobody could look for Link peers; see the other findings")
    }
    let isBridges = facts.bridge?["peers"] != nil
    guard peers > 0 else {
      return Finding(
        "peers", .note, "\(isBridges ? "the bridge sees" : "there is") no other Link peer",
        remedy:
          "turn Link on in the other program; both have to be in one network, and Wi-Fi may keep devices apart"
      )
    }
    return Finding("peers", .ok, peers == 1 ? "1 other Link peer" : "\(peers) other Link peers")
  }

  private static func startStop(_ facts: CheckupFacts) -> Finding {
    if facts.bridge?["start_stop_sync"] == false {
      return Finding(
        "start/stop", .warning, "the bridge keeps starts and stops to itself",
        remedy: "jackstay start-stop-sync on shares them")
    }
    return Finding(
      "start/stop", .unknown, "peers do not tell whether they share starts and stops",
      remedy: "if one does not start with the others, turn \"Start Stop Sync\" on in its Link settings")
  }

  private static func firewalls(_ facts: CheckupFacts) -> [Finding] {
    guard !facts.firewalls.isEmpty else {
      return [Finding("firewall", .ok, "no sign of one on this machine")]
    }
    return facts.firewalls.map { firewall in
      switch firewall.isActive {
      case true?:
        Finding(
          "firewall", .note, "\(firewall.name) filters packets",
          remedy: firewall.name == "ufw"
            ? "if peers are not found: sudo ufw allow proto udp from any to any port 20808, and UDP from your network"
            : "if peers are not found, let UDP to port 20808 in, and UDP from your own network")
      case false?: Finding("firewall", .ok, "\(firewall.name) is installed, and off")
      case nil:
        Finding(
          "firewall", .unknown, "\(firewall.name) may filter packets: only root can look",
          remedy: "if peers are not found, look yourself: sudo nft list ruleset")
      }
    }
  }

  private static func ardour(_ facts: CheckupFacts) -> Finding? {
    var isHeard = false
    if case .running(let server) = facts.server {
      isHeard = server.heard.contains { $0.lowercased().hasPrefix("ardour") }
    }
    guard isHeard || facts.ardour != nil else { return nil }
    return Finding(
      "ardour", .note, isHeard ? "Ardour is heard" : "Ardour is here, \(facts.ardour ?? "")",
      remedy: """
        for Link to lead, turn "JACK time master" off in the session's properties, and set its tempo to the session's; \
        for Ardour to lead, leave it on. To start together, choose JACK as its transport's sync source
        """)
  }
}
