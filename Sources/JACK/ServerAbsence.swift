import Glibc

/// Why no JACK server answers, where there is one nevertheless: as far as this machine shows it.
public enum ServerAbsence: Sendable, Hashable {
  /// The server's process is there, and does not listen yet.
  case starting(process: Int32)
  /// The server's process has another `/dev/shm`, as in another container.
  case elsewhere(process: Int32)
  /// The server is another user's.
  case anothers(user: UInt32)
  /// PipeWire listens, and this program has jackd2's library.
  case pipeWire
  /// jackd2 listens, and this program has PipeWire's library.
  case jackd2

  /// The traces of a server called `name`, which did not answer; `nil` where there are none.
  ///
  /// It reads some hundred small files of the kernel's. Realtime-safe: no.
  static func look(for name: String) -> ServerAbsence? {
    let sockets = ListeningSockets()
    let user = getuid()
    let own = sockets.paths.contains(ServerSocket(of: name).path)
    guard !LibJACK.isPipeWire else {
      return own ? .jackd2 : sockets.user(ofPipeWireNot: user).map { .anothers(user: $0) }
    }
    let servers = JackdProcess.all(called: name)
    let owns = servers.filter { $0.user == user }
    if let server = owns.first(where: { !$0.isElsewhere }) { return .starting(process: server.process) }
    if sockets.paths.contains(where: { pipeWirePaths(of: user).contains($0) }) { return .pipeWire }
    if let server = owns.first { return .elsewhere(process: server.process) }
    return (sockets.user(of: name) ?? servers.first?.user).map { .anothers(user: $0) }
  }

  /// Whether a PipeWire of this user's listens, and no jackd2 server called `default` is there.
  ///
  /// It reads one file of the kernel's, and some hundred more where PipeWire listens. Realtime-safe: no.
  static var isPipeWireAlone: Bool {
    let (paths, user) = (ListeningSockets().paths, getuid())
    guard !paths.contains(ServerSocket(of: "default").path),
      paths.contains(where: { pipeWirePaths(of: user).contains($0) })
    else { return false }
    return !JackdProcess.all(called: "default").contains { $0.user == user && !$0.isElsewhere }
  }

  /// How many clients a jackd2 server has, by the connections that the kernel shows.
  static func clientCount(of name: String) -> Int {
    let path = ServerSocket(of: name).path
    return ListeningSockets.lines().count { $0.path == path && $0.isConnected }
  }

  /// Where a PipeWire of this user's listens.
  private static func pipeWirePaths(of user: UInt32) -> [String] {
    let folder = (getenv("PIPEWIRE_RUNTIME_DIR") ?? getenv("XDG_RUNTIME_DIR")).map { String(cString: $0) }
    return ["\(folder ?? "/run/user/\(user)")/pipewire-0"]
  }
}

extension ServerAbsence {
  /// The traces of the server called `server`, without a full stop.
  public func text(of server: String) -> String {
    let server = JACKError.quoted(server)
    return switch self {
    case .starting(let process):
      "The JACK server \(server) does not answer yet (process \(process))"
    case .elsewhere(let process):
      "The JACK server \(server) runs in another container (process \(process))"
    case .anothers(let user):
      "The JACK server \(server) serves another user only (uid \(user))"
    case .pipeWire:
      "PipeWire runs, but this program was started with jackd2's library"
    case .jackd2:
      "The jackd2 server \(server) runs, but this program was started with PipeWire's library"
    }
  }

  /// The remedy, without a full stop.
  public var remedy: String {
    switch self {
    case .starting: "Wait until it has started, or look at its messages"
    case .elsewhere: "Start this program there, or give both one /dev/shm"
    case .anothers: "Start this program as that user, or the server as this one"
    case .pipeWire:
      "Install pipewire-jack, and name no server or start it by pw-jack"
    case .jackd2: "Start this program without pw-jack"
    }
  }
}

/// The Unix sockets of this network namespace, as `/proc/net/unix` has them.
private struct ListeningSockets {
  /// Where programs listen.
  let paths: [String]

  init() { paths = Self.lines().filter(\.isListening).map(\.path) }

  /// A socket with a path.
  struct Line {
    let path: String
    let isListening: Bool
    let isConnected: Bool
  }

  static func lines() -> [Line] {
    KernelFile.text(at: "/proc/net/unix").split(separator: "\n").dropFirst().compactMap { line in
      // Number, references, protocol, flags, type, state, inode, path, which may have spaces in it.
      let fields = line.split(separator: " ", maxSplits: 7, omittingEmptySubsequences: true)
      guard fields.count == 8, let flags = UInt32(fields[3], radix: 16) else { return nil }
      let isListening = flags & 0x10000 != 0
      return Line(
        path: String(fields[7]), isListening: isListening, isConnected: !isListening && fields[5] == "03")
    }
  }

  /// The user of a jackd2 server called `name`, where that is another one.
  func user(of name: String) -> UInt32? {
    let own = getuid()
    return paths.lazy.compactMap { path -> UInt32? in
      let head = "/dev/shm/jack_\(name)_"
      guard path.hasPrefix(head), path.hasSuffix("_0"),
        let user = UInt32(path.dropFirst(head.count).dropLast(2))
      else { return nil }
      return user == own ? nil : user
    }.first
  }

  /// The user of a PipeWire that is not of `own`.
  func user(ofPipeWireNot own: UInt32) -> UInt32? {
    paths.lazy.compactMap { path -> UInt32? in
      let parts = path.split(separator: "/")
      guard parts.count == 4, parts[0] == "run", parts[1] == "user", parts[3] == "pipewire-0" else {
        return nil
      }
      return UInt32(parts[2]).flatMap { $0 == own ? nil : $0 }
    }.first
  }
}

/// A process that is a jackd2 server.
private struct JackdProcess {
  let process: Int32
  let user: UInt32

  /// All that run a server called `name`.
  static func all(called name: String) -> [JackdProcess] {
    guard let folder = opendir("/proc") else { return [] }
    defer { closedir(folder) }
    var found: [JackdProcess] = []
    while let entry = readdir(folder) {
      let text = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      var file = stat()
      guard let process = Int32(text), KernelFile.text(at: "/proc/\(process)/comm") == "jackd\n",
        JackdArguments(of: process).serverName == name,
        stat("/proc/\(process)", &file) == 0
      else { continue }
      found.append(JackdProcess(process: process, user: file.st_uid))
    }
    return found
  }

  /// Whether its `/dev/shm` is another one. A folder that this user may not read counts as the same.
  var isElsewhere: Bool {
    var (own, other) = (stat(), stat())
    guard stat("/dev/shm", &own) == 0, stat("/proc/\(process)/root/dev/shm", &other) == 0 else {
      return false
    }
    return own.st_dev != other.st_dev || own.st_ino != other.st_ino
  }
}

/// The content of a kernel's file, whose size is not known before it is read.
enum KernelFile {
  /// The text; empty where there is none.
  static func text(at path: String) -> String {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return "" }
    defer { close(descriptor) }
    var text: [UInt8] = []
    var bytes = [UInt8](repeating: 0, count: 16 * 1024)
    while true {
      let count = read(descriptor, &bytes, bytes.count)
      guard count > 0 else { return String(decoding: text, as: UTF8.self) }
      text += bytes[..<count]
    }
  }
}
