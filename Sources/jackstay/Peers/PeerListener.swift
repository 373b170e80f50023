import AbletonLink
import Glibc
import Host
import LinkDiscovery
import Words

/// Hears the messages by which Link's peers find each other, and pings the peers, without being one.
///
/// Each interface has a socket of its own that is bound to Link's group and not to an address of this machine. So no
/// datagram for one program alone comes to it, which the kernel would otherwise take from the peer that has shared the
/// port before. Nothing is sent to the group.
///
/// Not thread-safe. Realtime-safe: no.
final class PeerListener {
  /// The peers so far, with times since the listener began.
  private(set) var table = PeerTable()

  private let began = ContinuousClock.now
  private var ears: [Ear] = []
  /// The sockets that send pings, one for each family.
  private var pingers: [Pinger] = []
  private var nextScan = Duration.zero

  /// How often interfaces that have come or gone are looked for.
  private static let scanInterval = Duration.seconds(1)
  /// So many datagrams of one socket at a time: a flood at one must not keep the others waiting.
  private static let atOnce = 64
  private static let mostEars = 64

  /// Hears on each interface that is up, and pings the peers unless `pings` is false; throws ``ControlFailure`` where
  /// it can hear on none.
  init(pings: Bool = true) throws(ControlFailure) {
    do throws(LinkError) { try Link.checkDiscoveryPort() } catch { throw ControlFailure("\(error)") }
    if pings { pingers = [Pinger(family: AF_INET), Pinger(family: AF_INET6)].compactMap(\.self) }
    scan()
    guard ears.isEmpty else { return }
    throw ControlFailure(
      "no network interface is up that has an IPv4 address and takes multicast. Connect a network: ip address"
        + " shows the interfaces.")
  }

  deinit {
    for ear in ears { close(ear.descriptor) }
    for pinger in pingers { close(pinger.descriptor) }
  }

  /// How long it has listened.
  var time: Duration { ContinuousClock.now - began }

  /// Listens until a time since the beginning, or until `isEnough`, which is asked after each datagram and at each
  /// deadline of the table's.
  func listen(until end: Duration, orUntil isEnough: (PeerTable, Duration) -> Bool = { _, _ in false }) {
    while time < end {
      if time >= nextScan { scan() }
      table.advance(to: time)
      send(table.takeDuePings(at: time))
      if isEnough(table, time) { return }
      // The shortest one is for a condition that ends with time alone.
      let next = min(end, nextScan, table.nextEvent ?? end, time + .milliseconds(100))
      wait(until: next)
    }
    table.advance(to: time)
  }

  /// Takes what has come, and does not wait.
  func look() {
    if time >= nextScan { scan() }
    wait(until: time)
    table.advance(to: time)
  }

  private func wait(until next: Duration) {
    var wishes = (ears.map(\.descriptor) + pingers.map(\.descriptor)).map {
      pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
    }
    let milliseconds = max(0, ((next - time) / .milliseconds(1)).rounded(.up))
    guard poll(&wishes, nfds_t(wishes.count), Int32(milliseconds)) > 0 else { return }
    for (ear, wish) in zip(ears, wishes) where wish.revents != 0 {
      receive(at: ear.descriptor) { datagram, sender in
        let source = PeerTable.Source(
          interface: ear.name, address: sender.host?.plainAddress ?? "", port: sender.port)
        table.heard(datagram, from: source, at: time)
      }
    }
    for (pinger, wish) in zip(pingers, wishes.dropFirst(ears.count)) where wish.revents != 0 {
      receive(at: pinger.descriptor) { datagram, sender in
        table.answered(
          datagram, from: Endpoint(address: Array(sender.addressBytes), port: sender.port), at: time)
      }
    }
  }

  /// Reads what has come to a socket. The corresponding C function is `recvfrom`.
  private func receive(at descriptor: Int32, _ take: ([UInt8], SocketAddress) -> Void) {
    // One byte more than the longest: a longer one is seen to be longer.
    var bytes = [UInt8](repeating: 0, count: DiscoveryMessage.longest + 1)
    for _ in 0..<Self.atOnce {
      let (count, sender) = SocketAddress.written {
        recvfrom(descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT), $0, $1)
      }
      // An error that a ping has caused is read, too.
      guard count >= 0 else {
        if errno == EAGAIN || errno == EINTR { return }
        continue
      }
      if let sender { take(Array(bytes[..<count]), sender) }
    }
  }

  private func send(_ pings: [PeerTable.DuePing]) {
    for ping in pings {
      guard let pinger = pingers.first(where: { $0.addressBytes == ping.endpoint.address.count }),
        let address = ping.endpoint.socketAddress(on: ping.interface)
      else { continue }
      let message = Ping.message(carrying: ping.number)
      _ = address.withPointer { sendto(pinger.descriptor, message, message.count, 0, $0, $1) }
    }
  }

  private func scan() {
    nextScan = time + Self.scanInterval
    let places = Ear.places()
    for ear in ears where !places.contains(ear.place) { close(ear.descriptor) }
    ears.removeAll { !places.contains($0.place) }
    for place in places where ears.count < Self.mostEars && !ears.contains(where: { $0.place == place }) {
      if let ear = Ear(at: place) { ears.append(ear) }
    }
  }
}

/// A socket that sends pings, and takes the answers.
private struct Pinger {
  let descriptor: Int32
  let addressBytes: Int

  init?(family: Int32) {
    descriptor = socket(family, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return nil }
    addressBytes = family == AF_INET ? 4 : 16
  }
}

/// A socket that hears Link's group on one interface.
private struct Ear {
  struct Place: Hashable {
    let index: UInt32
    let isVersion6: Bool
  }

  let place: Place
  let name: String
  let descriptor: Int32

  /// The interfaces on which Link hears: those that are up and have an address of IPv4, and by IPv6, which Link 3.1
  /// began with, those that have one for their cable besides.
  static func places() -> [Place] {
    // Link does not need the loopback interface to take multicast, and it does not say that it does.
    let addresses = InterfaceAddress.all().filter { $0.takesMulticast || $0.isLoopback }
    var places: [Place] = []
    for isVersion6 in Link.release == "3.0" ? [false] : [false, true] {
      for entry in addresses
      where isVersion6 ? entry.address.isLinkLocalOfVersion6 : entry.address.family == AF_INET {
        let index = if_nametoindex(entry.interface)
        let place = Place(index: index, isVersion6: isVersion6)
        guard index != 0, !places.contains(place) else { continue }
        if !isVersion6 || places.contains(Place(index: index, isVersion6: false)) { places.append(place) }
      }
    }
    return places
  }

  /// Hears there; `nil` where the system refuses that. The corresponding C functions are `socket`, `setsockopt` and
  /// `bind`.
  init?(at place: Place) {
    var letters = [CChar](repeating: 0, count: Int(IF_NAMESIZE))
    guard if_indextoname(place.index, &letters) != nil else { return nil }
    let name = String(decoding: letters.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let host = place.isVersion6 ? "\(Link.discoveryGroupOfVersion6)%\(name)" : Link.discoveryGroup
    guard let group = SocketAddress(host: host, port: Link.discoveryPort) else { return nil }
    let descriptor = socket(group.family, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return nil }
    let isReady =
      Descriptor.set(SO_REUSEADDR, of: descriptor, to: Int32(1))
      && group.withPointer { bind(descriptor, $0, $1) } == 0
      && Self.join(group, of: descriptor, on: place)
    guard isReady else {
      close(descriptor)
      return nil
    }
    (self.place, self.name, self.descriptor) = (place, name, descriptor)
  }

  /// Has a socket hear the group on that interface, and on no other.
  private static func join(_ group: SocketAddress, of descriptor: Int32, on place: Place) -> Bool {
    group.addressBytes.withUnsafeBytes { bytes in
      if place.isVersion6 {
        let member = ipv6_mreq(
          ipv6mr_multiaddr: bytes.loadUnaligned(as: in6_addr.self), ipv6mr_interface: place.index)
        return Descriptor.set(IPV6_JOIN_GROUP, at: Int32(IPPROTO_IPV6), of: descriptor, to: member)
      }
      let member = ip_mreqn(
        imr_multiaddr: bytes.loadUnaligned(as: in_addr.self), imr_address: in_addr(s_addr: 0),
        imr_ifindex: Int32(place.index))
      return Descriptor.set(IP_MULTICAST_ALL, at: Int32(IPPROTO_IP), of: descriptor, to: Int32(0))
        && Descriptor.set(IP_ADD_MEMBERSHIP, at: Int32(IPPROTO_IP), of: descriptor, to: member)
    }
  }
}

extension Endpoint {
  /// The address as the system's calls have it.
  fileprivate func socketAddress(on interface: String) -> SocketAddress? {
    if address.count == 4 {
      return SocketAddress(host: address.map { "\($0)" }.joined(separator: "."), port: port)
    }
    let groups = stride(from: 0, to: address.count - 1, by: 2).map {
      String(UInt16(address[$0]) << 8 | UInt16(address[$0 + 1]), radix: 16)
    }
    let scope = address.first == 0xFE ? "%\(interface)" : ""
    return SocketAddress(host: groups.joined(separator: ":") + scope, port: port)
  }
}

extension String {
  /// An address in numbers without the interface after it.
  fileprivate var plainAddress: String { String(prefix { $0 != "%" }) }
}
