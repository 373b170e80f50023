import Foundation
import Glibc

/// Link's discovery port in this process's network, from the kernel's table.
public enum DiscoveryPort {
  /// Its number: one for all peers.
  public static let number: UInt16 = 20808

  /// How many sockets are bound to it. A peer has some as long as it takes part, and none otherwise.
  public static var users: Int {
    let table = (try? String(contentsOfFile: "/proc/net/udp", encoding: .utf8)) ?? ""
    let suffix = ":" + String(number, radix: 16, uppercase: true)
    return table.split(separator: "\n").filter { line in
      line.split(separator: " ").dropFirst().first?.hasSuffix(suffix) ?? false
    }.count
  }

  /// Waits until a peer on this machine uses the port, or none does, and returns whether that happened.
  public static func await(inUse: Bool, within limit: Duration = .seconds(20)) -> Bool {
    let deadline = Deadline.after(limit)
    while (users > 0) != inUse {
      guard !deadline.hasPassed else { return false }
      usleep(2000)
    }
    return true
  }
}
