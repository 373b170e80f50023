import Glibc

/// Where a JACK server was reached: the path of the Unix socket at which it listens, as the kernel has it.
///
/// A server's name is ambiguous: jackd2 and PipeWire can both be called "default", and a PipeWire can be
/// reached by any name. The path is the one that the server itself chose, so all clients of one server have
/// the same, in any environment. jackd2 1.9.21 listens at `/dev/shm/jack_NAME_UID_0`, PipeWire at
/// `pipewire-0` in its runtime folder.
public struct ServerAddress: Sendable, Hashable, CustomStringConvertible {
  /// The path, or a substitute where the kernel does not report it.
  public let description: String
  /// The process that listens there; `nil` where the kernel does not report it.
  private let process: Int32?

  init(_ description: String) { (self.description, process) = (description, nil) }

  /// Whether the server takes starts and stops from another server on the network and from no client, as a
  /// slave of netjack's does. The server's command line shows it; without one that can be read it is false.
  public var followsMaster: Bool { process.map { JackdArguments(of: $0).followsMaster } ?? false }

  /// Of the connections that were made as a client was opened, the one with its server.
  init?(among connections: [UnixConnection]) {
    // PipeWire's library asks the system bus for real-time threads.
    let candidates = connections.filter { !$0.path.contains("/dbus/") && !$0.path.hasSuffix("/bus") }
    let isKnown = { (connection: UnixConnection) in
      let file = connection.path.split(separator: "/").last ?? ""
      return file.hasPrefix("jack_") || file.hasPrefix("pipewire")
    }
    guard let connection = candidates.first(where: isKnown) ?? candidates.first else { return nil }
    process = connection.listener
    // A PipeWire has a second socket for its session manager.
    let manager = "-manager"
    description =
      connection.path.hasSuffix(manager) ? String(connection.path.dropLast(manager.count)) : connection.path
  }
}

/// A connection of this process with a Unix socket that has a path.
struct UnixConnection: Hashable {
  let descriptor: Int32
  /// The number that the kernel has given this end, which no later connection has.
  let inode: UInt64
  /// Where the other end listens.
  let path: String

  /// The process that listens at the other end, or did when the connection was made; `nil` where the kernel
  /// does not report it. The corresponding socket option is `SO_PEERCRED`.
  var listener: Int32? {
    // pid, uid, gid: `ucred`, which C declares only with GNU extensions.
    var credentials: (Int32, UInt32, UInt32) = (0, 0, 0)
    var length = socklen_t(MemoryLayout.size(ofValue: credentials))
    let code = getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &length)
    return code == 0 && credentials.0 > 0 ? credentials.0 : nil
  }

  /// All that there are, in the order of their descriptors.
  ///
  /// The corresponding C functions are `fstat`, `getsockopt` and `getpeername`.
  static func all() -> [UnixConnection] {
    guard let folder = opendir("/proc/self/fd") else { return [] }
    defer { closedir(folder) }
    var connections: [UnixConnection] = []
    while let entry = readdir(folder) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if let descriptor = Int32(name), let connection = UnixConnection(descriptor) {
        connections.append(connection)
      }
    }
    return connections.sorted { $0.descriptor < $1.descriptor }
  }

  init(descriptor: Int32, inode: UInt64, path: String) {
    (self.descriptor, self.inode, self.path) = (descriptor, inode, path)
  }

  private init?(_ descriptor: Int32) {
    var file = stat()
    guard fstat(descriptor, &file) == 0, file.st_mode & S_IFMT == S_IFSOCK else { return nil }
    var kind: Int32 = 0
    var length = socklen_t(MemoryLayout.size(ofValue: kind))
    guard getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &kind, &length) == 0,
      kind == Int32(SOCK_STREAM.rawValue)
    else { return nil }
    var address = sockaddr_un()
    var size = socklen_t(MemoryLayout<sockaddr_un>.size)
    let code = withUnsafeMutablePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(descriptor, $0, &size) }
    }
    guard code == 0, address.sun_family == sa_family_t(AF_UNIX) else { return nil }
    let path = withUnsafeBytes(of: address.sun_path) { bytes in
      String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
    guard !path.isEmpty else { return nil }
    self.init(descriptor: descriptor, inode: UInt64(file.st_ino), path: path)
  }
}
