import Glibc

/// The manager that started the program as a service, and wants its state: systemd, by its protocol
/// `sd_notify`.
///
/// Thread-safe. Realtime-safe: no.
public struct ServiceManager: Sendable {
  private let path: String

  /// The one that the environment variable `NOTIFY_SOCKET` names; `nil` where there is none.
  ///
  /// It is a path, or a name in Linux's abstract namespace after `@`.
  public init?(environment: [String: String]) {
    guard let path = environment["NOTIFY_SOCKET"], let first = path.first, first == "/" || first == "@",
      path.utf8.count > 1, path.utf8.count < MemoryLayout.size(ofValue: sockaddr_un().sun_path)
    else { return nil }
    self.path = path
  }

  /// Reports that the program is up, or that it ends, or its state. No answer is waited for, and a manager
  /// that does not listen is no fault of the program's.
  ///
  /// - Returns: False where the manager has not yet read earlier messages, and its queue is full: then call
  ///   again.
  @discardableResult public func tell(_ state: State) -> Bool { send(state.message) }

  /// A state to report.
  public enum State: Sendable, Hashable {
    /// The program is up.
    case ready
    /// It is ending.
    case stopping
    /// Its state, in a line for people.
    case status(String)

    var message: String {
      switch self {
      case .ready: "READY=1"
      case .stopping: "STOPPING=1"
      // One assignment a line: a line end in the text would begin another.
      case .status(let text): "STATUS=" + String(text.map { $0.isNewline ? " " : $0 })
      }
    }
  }

  /// The corresponding C function is `sendto`.
  private func send(_ message: String) -> Bool {
    let descriptor = socket(
      AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
    guard descriptor >= 0 else { return true }
    defer { close(descriptor) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    var name = Array(path.utf8)
    if name[0] == UInt8(ascii: "@") { name[0] = 0 }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
    // The length of an abstract name is the length that the call passes.
    let offset = MemoryLayout<sockaddr_un>.size - MemoryLayout.size(ofValue: address.sun_path)
    let length = socklen_t(offset + name.count)
    let bytes = Array(message.utf8)
    let count = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        sendto(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL), address, length)
      }
    }
    return count >= 0 || ![EAGAIN, ENOBUFS].contains(errno)
  }
}
