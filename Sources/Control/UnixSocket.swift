import Glibc
import Host

/// The calls into C that sockets of one machine need. Realtime-safe: no, none of them.
enum UnixSocket {
  /// A stream socket; negative when there is none to be had. The corresponding C function is `socket`.
  static func make(isBlocking: Bool) -> Int32 {
    let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    return socket(AF_UNIX, isBlocking ? kind : kind | Int32(SOCK_NONBLOCK.rawValue), 0)
  }

  /// Whether the system takes a path of that many bytes for a socket's.
  static func takes(_ path: String) -> Bool {
    path.utf8.count < MemoryLayout.size(ofValue: sockaddr_un().sun_path)
  }

  /// Gives a socket a path. Returns the error number, 0 for none. The corresponding C function is `bind`.
  static func bind(_ descriptor: Int32, to path: String) -> Int32 {
    withAddress(path) { Glibc.bind(descriptor, $0, $1) }
  }

  /// Connects a socket with the one at a path. Returns the error number, 0 for none. The corresponding C
  /// function is `connect`.
  static func connect(_ descriptor: Int32, to path: String) -> Int32 {
    withAddress(path) { Glibc.connect(descriptor, $0, $1) }
  }

  /// The next connection, by a socket that does not block; negative when there is none. The corresponding C
  /// function is `accept`.
  static func accept(_ descriptor: Int32) -> Int32 {
    let connection = Glibc.accept(descriptor, nil, nil)
    if connection >= 0 {
      _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
      _ = fcntl(connection, F_SETFL, fcntl(connection, F_GETFL) | O_NONBLOCK)
    }
    return connection
  }

  /// The user at the other end, from the kernel; `nil` where the kernel does not report it.
  ///
  /// The corresponding C function is `getsockopt` with `SO_PEERCRED`.
  static func user(of descriptor: Int32) -> UInt32? { credentials(of: descriptor)?.user }

  /// The process at the other end, from the kernel; `nil` where the kernel does not report it, as of a process in
  /// another container.
  static func process(of descriptor: Int32) -> Int32? {
    credentials(of: descriptor).flatMap { $0.process > 0 ? $0.process : nil }
  }

  private static func credentials(of descriptor: Int32) -> (process: Int32, user: UInt32)? {
    // pid, uid, gid: `ucred`, which C declares only with GNU extensions.
    var credentials: (Int32, UInt32, UInt32) = (0, 0, 0)
    var size = socklen_t(MemoryLayout.size(ofValue: credentials))
    let code = getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &size)
    return code == 0 ? (credentials.0, credentials.1) : nil
  }

  /// Has readers and writers of it wait no longer than so many seconds; 0 is for ever.
  ///
  /// The corresponding C function is `setsockopt` with `SO_RCVTIMEO` and `SO_SNDTIMEO`.
  static func setTimeout(_ descriptor: Int32, seconds: Int) {
    let time = timeval(tv_sec: seconds, tv_usec: 0)
    for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
      Descriptor.set(option, of: descriptor, to: time)
    }
  }

  /// Writes as much as there is room for; negative when there is none, or when the other end is closed. The
  /// corresponding C function is `send`.
  static func send(_ descriptor: Int32, _ bytes: [UInt8]) -> Int {
    bytes.withUnsafeBytes { send(descriptor, $0) }
  }

  private static func send(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
  }

  /// Writes all to a socket that blocks; false when its time is over, or the other end is closed.
  static func sendAll(_ descriptor: Int32, _ bytes: [UInt8]) -> Bool {
    Descriptor.passAll(bytes) { send(descriptor, $0) }
  }

  /// Reads what there is, at most `bytes.count` of it; 0 at the end, negative when there is nothing. The
  /// corresponding C function is `recv`.
  static func receive(_ descriptor: Int32, into bytes: inout [UInt8]) -> Int {
    bytes.withUnsafeMutableBytes { Glibc.recv(descriptor, $0.baseAddress, $0.count, 0) }
  }

  private static func withAddress(
    _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
  ) -> Int32 {
    guard takes(path) else { return ENAMETOOLONG }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    return withUnsafePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        body(address, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0 ? 0 : errno
      }
    }
  }
}
