import Control
import Glibc
import Host
import LinkDiscovery

/// The programs of this machine that have the sockets which peers are heard from.
///
/// The kernel shows the sockets of this user's programs, and of all programs to a superuser.
enum LocalPrograms {
  /// A program of this machine.
  struct Program: Sendable, Hashable {
    /// The system's number of the process.
    let process: Int32
    /// The name that the system has for it.
    let name: String
    /// The name of the bridge that it is; `nil` where it is none.
    let bridge: String?
  }

  /// The programs of those peers that belong to one that may be known.
  static func found(of peers: [PeerTable.Peer], in places: ControlPlaces) -> [NodeID: Program] {
    let owners = owners(of: peers)
    guard !owners.isEmpty else { return [:] }
    let bridges = ControlClient.processes(in: places)
    var programs: [NodeID: Program] = [:]
    for process in numbers(in: "/proc") where programs.count < owners.count {
      for descriptor in numbers(in: "/proc/\(process)/fd") {
        guard let id = peer(owners, process, descriptor), programs[id] == nil else { continue }
        programs[id] = Program(
          process: process, name: name(of: process), bridge: bridges[process])
      }
    }
    return programs
  }

  /// The one of the peers that a process is; `nil` where it is none, or where that may not be known.
  static func peer(among peers: [PeerTable.Peer], of process: Int32) -> NodeID? {
    let owners = owners(of: peers)
    guard !owners.isEmpty else { return nil }
    return numbers(in: "/proc/\(process)/fd").lazy.compactMap { peer(owners, process, $0) }.first
  }

  private static func peer(_ owners: [UInt64: NodeID], _ process: Int32, _ descriptor: Int32) -> NodeID? {
    inode(of: "/proc/\(process)/fd/\(descriptor)").flatMap { owners[$0] }
  }

  /// The peers by the sockets of this machine that they are heard from.
  private static func owners(of peers: [PeerTable.Peer]) -> [UInt64: NodeID] {
    let sockets = sockets()
    var owners: [UInt64: NodeID] = [:]
    for peer in peers {
      for sighting in peer.sightings {
        if let inode = sockets[Place(sighting.source)] { owners[inode] = peer.id }
      }
    }
    return owners
  }

  /// An address and a port as the kernel lists them.
  private struct Place: Hashable {
    let address: String
    let port: UInt16

    init(_ address: String, _ port: UInt16) { (self.address, self.port) = (address, port) }
    init(_ source: PeerTable.Source) { self.init(source.address, source.port) }
  }

  /// The UDP sockets of this machine's network that are bound to an address of its own. Of IPv6 the ones of IPv4 are
  /// enough: a peer has both.
  private static func sockets() -> [Place: UInt64] {
    var sockets: [Place: UInt64] = [:]
    for line in text(of: "/proc/net/udp").split(separator: "\n").dropFirst() {
      let words = line.split(separator: " ")
      let local = words.count > 9 ? words[1].split(separator: ":") : []
      guard local.count == 2, let number = UInt32(local[0], radix: 16),
        let port = UInt16(local[1], radix: 16),
        let inode = UInt64(words[9]), inode != 0
      else { continue }
      // The kernel prints the number as the machine has it in memory, the first byte of the address first.
      let address = withUnsafeBytes(of: number) { $0.map { "\($0)" }.joined(separator: ".") }
      sockets[Place(address, port)] = inode
    }
    return sockets
  }

  private static func name(of process: Int32) -> String {
    String(text(of: "/proc/\(process)/comm").prefix { !$0.isNewline })
  }

  /// The number of the socket that a descriptor is of. The corresponding C function is `readlink`.
  private static func inode(of path: String) -> UInt64? {
    var letters = [CChar](repeating: 0, count: 64)
    let count = readlink(path, &letters, letters.count)
    guard count > 9 else { return nil }
    let target = String(decoding: letters[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return target.hasPrefix("socket:[") ? UInt64(target.dropFirst(8).dropLast()) : nil
  }

  /// The names in a folder that are numbers.
  private static func numbers(in path: String) -> [Int32] {
    (SystemFile.names(in: path) ?? []).compactMap { Int32($0) }
  }

  /// The text of a file of the kernel's, at most 4 MiB.
  private static func text(of path: String) -> String { SystemFile.text(at: path, limit: 4 << 20) ?? "" }
}
