import Glibc

/// The socket at which a jackd2 server takes clients in.
///
/// libjack opens jackd2's metadata database before it looks for a server, and creates it where there is none. A server
/// that ends removes the database file by file: a client that comes in between leaves a part of it, and `jackd` then
/// ends with a bus error whenever it is started. So a program that waits for a server must not ask libjack for it: it
/// looks here first. A server listens after it has made the database, and stops before it removes it.
struct ServerSocket {
  /// The path at which libjack looks for the server on behalf of this process.
  let path: String

  /// The socket of the server called `name`. A promiscuous server takes in any user's clients: its socket is named
  /// without a user.
  init(of name: String) {
    // As `JackTools::RewriteName` does.
    let name = String(name.map { $0 == "/" || $0 == "\\" ? "_" : $0 })
    let isPromiscuous = getenv("JACK_PROMISCUOUS_SERVER") != nil
    path = isPromiscuous ? "/dev/shm/jack_\(name)_0" : "/dev/shm/jack_\(name)_\(getuid())_0"
  }

  /// Whether a server listens, by a connection that is closed at once: libjack asks so, too, and servers expect it. A
  /// file is no proof, as a killed server leaves its own.
  ///
  /// Does not wait for the server. Realtime-safe: no.
  var isListening: Bool {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let fits = withUnsafeMutableBytes(of: &address.sun_path) { room in
      guard path.utf8.count < room.count else { return false }
      room.copyBytes(from: path.utf8)
      return true
    }
    guard fits else { return false }
    let descriptor = socket(
      AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), 0)
    // libjack finds out where this process cannot.
    guard descriptor >= 0 else { return true }
    defer { close(descriptor) }
    let code = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    // A server with many waiting clients listens all the same.
    return code == 0 || errno == EAGAIN
  }
}
