import AbletonLink
import Bridge
import Control
import Dispatch
import Glibc
import Host
import JACK
import JSON
import LinkDiscovery
import MusicalTime
import Reconciliation
import Settings
import Synchronization

/// Looks at the machine, as the user who asks: nothing is changed, and no session or timebase is touched.
enum CheckupInspection {
  /// How long JACK may take to answer. A call that hangs longer is left behind: the process ends soon.
  private static let patience = DispatchTimeInterval.seconds(8)
  /// How long Link has to find peers: each of them speaks up some times a second.
  private static let listening = Duration.milliseconds(1500)
  /// How long peers that hear each other have to measure each other, and to become one session.
  private static let joining = Duration.seconds(6)

  /// All facts. `name` is that of the bridge that is meant, `server` the JACK server's, `configurationFault` the
  /// reason why the configuration cannot be used.
  static func facts(
    bridge name: String?, server: String?, configurationFault: String?, in places: ControlPlaces
  ) -> CheckupFacts {
    // The findings repeat the messages that libjack prints.
    JACKLog.route { _, _ in }
    var (bridge, silence): (JSONObject?, ControlError?) = (nil, nil)
    do throws(ControlError) {
      bridge = try ControlClient(name: name, in: places).ask("status")
    } catch {
      if error.reason != .noneRuns { silence = error }
    }
    let portRefusal = portRefusal
    let (peers, heard) = portRefusal == nil ? peers(bridge, in: places) : (nil, [])
    return CheckupFacts(
      linkRelease: bridge?["link_release"]?.string ?? Link.release, configurationFault: configurationFault,
      library: JACKLibrary.version, hasPipeWire: hasPipeWire,
      server: inspected(server), bridge: bridge,
      bridgeSilence: silence?.description, hasSeveralBridges: silence?.reason == .severalRun,
      realtimeRefusal: RealtimeTrial.refusal(), lockableBytes: lockableBytes,
      interfaces: portRefusal == nil ? MulticastTrial.interfaces() : [], portRefusal: portRefusal,
      peers: peers, heard: heard, firewalls: Firewalls.found())
  }

  // MARK: JACK

  /// The server, looked at on a thread of its own, that is not waited for if it hangs.
  private static func inspected(_ server: String?) -> CheckupFacts.Server {
    let box = Found()
    let done = DispatchSemaphore(value: 0)
    let isStarted = DetachedThread.start {
      let result = visit(server)
      box.value.withLock { $0 = result }
      done.signal()
    }
    guard isStarted else {
      return .absent("The system has no thread left to look at it with. End other programs.")
    }
    guard case .success = done.wait(timeout: .now() + patience) else { return .hangs }
    return box.value.withLock { $0 } ?? .hangs
  }

  private static func visit(_ server: String?) -> CheckupFacts.Server {
    do throws(JACKError) {
      let client = try Client.open(name: "jackstay-doctor", server: server)
      guard !renders(client) else { return .renders }
      let visitor = try client.activate(RealtimeHandler())
      defer { visitor.close() }
      return .running(running(visitor, server ?? Client.defaultServer))
    } catch {
      switch error.explained {
      case .serverUnreachable(let server, let absence):
        return .unreachable(absence.text(of: server), remedy: absence.remedy)
      case .serverFull(let server):
        return .unreachable(
          "The JACK server \"\(server)\" has no room for another client", remedy: "close a client")
      case let error: return .absent("\(error)")
      }
    }
  }

  private static func renders(_ client: borrowing Client) -> Bool {
    var watch = RenderWatch()
    while let pace = client.pace {
      switch watch.look(pace, at: client.sampleRate) {
      case .keepsTime: return false
      case .renders: return true
      case .unknown: usleep(1000)
      }
    }
    return false
  }

  private static func running(_ client: ActiveClient, _ name: String) -> CheckupFacts.Server.Running {
    var map = ClockMap()
    // As long as it takes to see a drift of a few millionths.
    for _ in 0..<40 {
      if let before = client.now() {
        let link = HostTime<LinkClock>(nanoseconds: LinkTime.nanoseconds)
        if let after = client.now() { map.observe(before: before, link: link, after: after) }
      }
      usleep(50_000)
    }
    let clocks = map.reading
    return CheckupFacts.Server.Running(
      name: name, rate: client.sampleRate.hertz, bufferFrames: Int(client.bufferSize),
      latencyFrames: client.largestPlaybackLatency().map { Int($0.count) },
      outputs: client.physicalOutputs(), heard: client.heardClients(),
      showsPosition: client.transport()?.position.timebase.isValid == true,
      clockOffset: clocks?.offset.microseconds ?? 0, clockDrift: (clocks?.drift ?? 0) * 1e6)
  }

  private static var hasPipeWire: Bool {
    let folder = getenv("PIPEWIRE_RUNTIME_DIR") ?? getenv("XDG_RUNTIME_DIR")
    return folder.map { access("\(String(cString: $0))/pipewire-0", F_OK) == 0 } ?? false
  }

  // MARK: Link

  private static var portRefusal: String? {
    do throws(LinkError) {
      try Link.checkDiscoveryPort()
      return nil
    } catch {
      return "\(error)"
    }
  }

  /// How many peers Link sees, and which of them are heard. A bridge that runs is asked for the number; else a peer that
  /// does nothing joins for a moment.
  private static func peers(
    _ bridge: JSONObject?, in places: ControlPlaces
  ) -> (count: Int?, heard: [CheckupFacts.HeardPeer]) {
    let known = (bridge?["peers"]?.number).flatMap { Int(exactly: $0) }
    let link = known == nil ? try? Link(tempo: .standard) : nil
    link?.setStartStopSyncEnabled(false)
    link?.setEnabled(true)
    defer { link?.setEnabled(false) }
    var most = 0
    guard let listener = try? PeerListener() else {
      // Without an interface there is no peer to hear.
      return (known ?? (link == nil ? nil : most), [])
    }
    let enough = Link.settlingTime + listening
    listener.listen(until: joining) { table, time in
      most = max(most, link?.numberOfPeers ?? 0)
      let isSettled = table.sessions().count <= 1 && table.peers.allSatisfy { $0.isMeasurable == true }
      return time >= enough && isSettled
    }
    return (
      known ?? (link == nil ? nil : most),
      heard(listener.table, in: places) { program in
        link == nil ? program.bridge == bridge?["name"]?.string : program.process == getpid()
      }
    )
  }

  /// The peers of a table but for the one that is the bridge, or this process.
  private static func heard(
    _ table: PeerTable, in places: ControlPlaces, isOwn: (LocalPrograms.Program) -> Bool
  ) -> [CheckupFacts.HeardPeer] {
    let programs = LocalPrograms.found(of: table.peers, in: places)
    let own = table.peers.first { programs[$0.id].map(isOwn) == true }
    return table.peers.filter { $0.id != own?.id }.compactMap { peer in
      peer.sightingsByFamily.first.map { sighting in
        CheckupFacts.HeardPeer(
          address: sighting.source.address, interface: sighting.source.interface,
          isMeasurable: peer.isMeasurable, isInOwnSession: own.map { $0.session == peer.session })
      }
    }
  }

  // MARK: The system

  /// The corresponding C function is `getrlimit`.
  private static var lockableBytes: UInt64? {
    var limit = rlimit()
    guard geteuid() != 0, getrlimit(__rlimit_resource_t(__RLIMIT_MEMLOCK.rawValue), &limit) == 0,
      limit.rlim_cur != rlim_t.max
    else { return nil }
    return UInt64(limit.rlim_cur)
  }
}

/// A value that a thread leaves behind for another.
private final class Found: Sendable {
  let value = Mutex<CheckupFacts.Server?>(nil)
}
