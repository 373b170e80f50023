import AbletonLink
import Glibc

/// Sends a packet to the group by which Link's peers find each other, on each interface, and looks whether it
/// comes back.
///
/// It says that it is no peer's: they leave it alone.
enum MulticastTrial {
  private static let group = "224.76.78.75"
  /// How long a packet may take, in milliseconds: it does not leave the machine.
  private static let patience: Int32 = 500

  /// The interfaces that are up and have an IPv4 address, each tried. The corresponding C function is
  /// `getifaddrs`.
  static func interfaces() -> [CheckupFacts.Interface] {
    var list: UnsafeMutablePointer<ifaddrs>?
    guard getifaddrs(&list) == 0 else { return [] }
    defer { freeifaddrs(list) }
    var found: [CheckupFacts.Interface] = []
    var next = list
    while let entry = next?.pointee {
      next = entry.ifa_next
      let isUp = entry.ifa_flags & UInt32(IFF_UP) != 0
      guard isUp, let address = entry.ifa_addr, address.pointee.sa_family == sa_family_t(AF_INET) else {
        continue
      }
      let own = address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { $0.pointee.sin_addr }
      let takes = entry.ifa_flags & UInt32(IFF_MULTICAST) != 0
      found.append(
        CheckupFacts.Interface(
          name: String(cString: entry.ifa_name), address: text(of: own),
          isLoopback: entry.ifa_flags & UInt32(IFF_LOOPBACK) != 0, takesMulticast: takes,
          failure: failure(on: own)))
    }
    return found
  }

  /// Why a packet that is sent from an address does not come back there; `nil` if it does.
  private static func failure(on own: in_addr) -> String? {
    let receiver = socket(AF_INET, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    let sender = socket(AF_INET, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    defer { for descriptor in [receiver, sender] where descriptor >= 0 { close(descriptor) } }
    guard receiver >= 0, sender >= 0 else { return reason() }
    var share: Int32 = 1
    setsockopt(receiver, SOL_SOCKET, SO_REUSEADDR, &share, socklen_t(MemoryLayout<Int32>.size))
    var target = sockaddr_in()
    target.sin_family = sa_family_t(AF_INET)
    target.sin_port = Link.discoveryPort.bigEndian
    inet_pton(AF_INET, group, &target.sin_addr)
    var member = ip_mreq(imr_multiaddr: target.sin_addr, imr_interface: own)
    var own = own
    guard withAddress(target, { bind(receiver, $0, $1) }) == 0,
      setsockopt(
        receiver, Int32(IPPROTO_IP), IP_ADD_MEMBERSHIP, &member, socklen_t(MemoryLayout<ip_mreq>.size)) == 0,
      setsockopt(sender, Int32(IPPROTO_IP), IP_MULTICAST_IF, &own, socklen_t(MemoryLayout<in_addr>.size)) == 0
    else { return reason() }
    let message = Array("jackstay doctor \(getpid()) \(text(of: own))".utf8)
    let sent = withAddress(target) { sendto(sender, message, message.count, 0, $0, $1) }
    guard sent == message.count else { return reason() }
    return awaits(message, on: receiver) ? nil : "nothing came within half a second"
  }

  /// Waits for a packet among those of peers.
  private static func awaits(_ message: [UInt8], on receiver: Int32) -> Bool {
    let end = ContinuousClock.now + .milliseconds(Int(patience))
    var bytes = [UInt8](repeating: 0, count: 2048)
    while ContinuousClock.now < end {
      var wish = pollfd(fd: receiver, events: Int16(POLLIN), revents: 0)
      guard poll(&wish, 1, patience) > 0 else { return false }
      let count = recv(receiver, &bytes, bytes.count, Int32(MSG_DONTWAIT))
      if count >= 0, Array(bytes[..<count]) == message { return true }
    }
    return false
  }

  private static func withAddress<Value>(
    _ address: sockaddr_in, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Value
  ) -> Value {
    withUnsafePointer(to: address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
  }

  private static func text(of address: in_addr) -> String {
    // The address is kept in the network's order, its first byte first.
    withUnsafeBytes(of: address.s_addr) { $0.map { "\($0)" }.joined(separator: ".") }
  }

  private static func reason() -> String { String(cString: strerror(errno)).lowercased() }
}
