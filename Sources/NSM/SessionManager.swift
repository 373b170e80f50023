import Glibc
import Host
import OSCCodec
import Synchronization

/// A session manager, of which the program is a client: the New Session Manager's `nsmd`, or another that
/// speaks its API 1.1.
///
/// A client announces itself, is asked to open a project, and to save; it answers each request when it is
/// done. It reports when it has unsaved data.
///
/// Thread-safe. Realtime-safe: no.
public final class SessionManager: Sendable {
  /// The client that announces itself.
  public struct Client: Sendable {
    /// The name that it would have in JACK.
    public var name: String
    /// The command that it was started by: the manager starts it by that again.
    public var executable: String
    /// Its process.
    public var process: Int32

    /// A client.
    public init(name: String, executable: String, process: Int32) {
      (self.name, self.executable, self.process) = (name, executable, process)
    }
  }

  /// A request to the client, which it has to answer.
  public enum Request: String, Sendable {
    /// To open a project.
    case open = "/nsm/client/open"
    /// To save the open project.
    case save = "/nsm/client/save"
  }

  /// Why a request was not done, by the numbers of the API.
  public enum Refusal: Int32, Sendable {
    /// For a reason of its own.
    case general = -1
    /// The project to open is damaged, or cannot be read.
    case badProject = -9
    /// Nothing can be made there.
    case createFailed = -10
  }

  /// A message of a session manager.
  public enum Notice: Sendable, Hashable {
    /// It takes the client in; the manager's name.
    case accepted(manager: String)
    /// It does not, for a reason.
    case refused(reason: String)
    /// It is not there, or cannot be reached.
    case unreachable(SessionManagerError)
    /// It has ended, after it took the client in. No more messages come, and none are sent.
    case ended
    /// Open the project.
    case open(Project)
    /// Save the open project.
    case save
  }

  /// A project to open.
  public struct Project: Sendable, Hashable {
    /// Where it is kept: a path to which a client may append an ending.
    public var path: String
    /// The name that people know it by.
    public var name: String
    /// The name that the client is to have in JACK.
    public var clientID: String
  }

  /// The client's capabilities: to open another project while it runs, to report unsaved data, and to send
  /// messages for people.
  static let capabilities = ":switch:dirty:message:"
  /// The version of the API that is spoken.
  static let version: (major: Int32, minor: Int32) = (1, 1)
  /// The longest text of a message, in characters.
  static let longestText = 400

  /// Where it is.
  public let address: SessionManagerAddress
  private let state = Mutex(State())

  private struct State {
    var socket: SessionManagerSocket?
    var isAccepted = false
    var isEnded = false
    /// Notices that have not been read yet.
    var notices: [Notice] = []
    var handler: (@Sendable (Notice) -> Void)?
  }

  /// The manager at an address, to which no client has been announced yet.
  public init(_ address: SessionManagerAddress) { self.address = address }

  deinit { end() }

  /// Announces a client. The results are notices.
  public func announce(_ client: Client) {
    let isStarted = DetachedThread.start { [weak self, address] in
      let socket: SessionManagerSocket
      do throws(SessionManagerError) {
        socket = try SessionManagerSocket(address)
      } catch {
        self?.take(.unreachable(error))
        return
      }
      guard self?.begin(socket) == true else { return }
      socket.send(
        OSCMessage(
          "/nsm/server/announce", .string(client.name), .string(Self.capabilities),
          .string(client.executable),
          .int32(Self.version.major), .int32(Self.version.minor), .int32(client.process)
        ).bytes)
      var goesOn = true
      while goesOn {
        let arrival = socket.receive()
        goesOn = self?.takeArrival(arrival) ?? false
      }
    }
    if !isStarted {
      take(
        .unreachable(
          SessionManagerError(
            "the system has no thread left for the session manager. End other programs, and start again."
          )))
    }
  }

  /// The next notice that has come; `nil` where none has. For a caller that polls, until ``onNotice(_:)``.
  public func next() -> Notice? {
    state.withLock { $0.notices.isEmpty ? nil : $0.notices.removeFirst() }
  }

  /// Has `handler` called for each notice from now on, and for those that wait, one after the other.
  public func onNotice(_ handler: @escaping @Sendable (Notice) -> Void) {
    let waiting = state.withLock { state in
      state.handler = handler
      defer { state.notices = [] }
      return state.notices
    }
    for notice in waiting { handler(notice) }
  }

  /// Answers that a request was done.
  public func reply(to request: Request, _ text: String) {
    send(OSCMessage("/reply", .string(request.rawValue), .string(Self.shown(text))))
  }

  /// Answers that a request was not done, and why.
  public func refuse(_ request: Request, _ refusal: Refusal, _ reason: String) {
    send(
      OSCMessage("/error", .string(request.rawValue), .int32(refusal.rawValue), .string(Self.shown(reason))))
  }

  /// Reports whether there is unsaved data.
  public func tell(isDirty: Bool) {
    send(OSCMessage(isDirty ? "/nsm/client/is_dirty" : "/nsm/client/is_clean"))
  }

  /// Sends a message for people, with its importance, from 0 to 3.
  public func tell(_ text: String, priority: Int32) {
    send(OSCMessage("/nsm/client/message", .int32(min(3, max(0, priority))), .string(Self.shown(text))))
  }

  /// Stops receiving messages.
  public func end() {
    let socket = state.withLock { state in
      state.isEnded = true
      return state.socket
    }
    socket?.end()
  }
}

extension SessionManager {
  private func begin(_ socket: SessionManagerSocket) -> Bool {
    state.withLock { state in
      state.socket = socket
      return !state.isEnded
    }
  }

  /// A manager that has not accepted the client yet gets no messages.
  private func send(_ message: OSCMessage) {
    let socket = state.withLock { $0.isAccepted ? $0.socket : nil }
    socket?.send(message.bytes)
  }

  /// Returns whether there may be more.
  private func takeArrival(_ arrival: SessionManagerSocket.Arrival) -> Bool {
    switch arrival {
    case .datagram(let bytes):
      // A datagram that is no OSC is ignored; a manager that has sent one may send a message later.
      for message in (try? OSCPacket.messages(in: bytes)) ?? [] { take(message) }
    case .other: break
    case .nobody:
      if !state.withLock({ $0.isAccepted }) { take(.unreachable(.nobody(at: address))) }
    case .managerEnded:
      let wasAccepted = state.withLock { state in
        defer { (state.isAccepted, state.isEnded) = (false, true) }
        return state.isAccepted
      }
      take(wasAccepted ? .ended : .unreachable(.nobody(at: address)))
    case .end: return false
    }
    return !state.withLock { $0.isEnded }
  }

  private func take(_ message: OSCMessage) {
    let announcement = OSCArgument.string("/nsm/server/announce")
    let arguments = message.arguments
    switch message.address {
    case "/reply" where arguments.first == announcement:
      state.withLock { $0.isAccepted = true }
      take(.accepted(manager: arguments.text(2) ?? "a session manager"))
    case "/error" where arguments.first == announcement:
      take(.refused(reason: arguments.text(2) ?? "it does not say why"))
    case Request.open.rawValue:
      guard let path = arguments.text(0), let name = arguments.text(1), let id = arguments.text(2) else {
        return refuse(.open, .general, "expected three texts: a path, a name, and a client's id")
      }
      take(.open(Project(path: path, name: name, clientID: id)))
    case Request.save.rawValue: take(.save)
    // Any other message needs no answer, such as that a session is loaded.
    default: break
    }
  }

  private func take(_ notice: Notice) {
    let handler = state.withLock { state in
      if state.handler == nil { state.notices.append(notice) }
      return state.handler
    }
    handler?(notice)
  }

  private static func shown(_ text: String) -> String {
    let line = String(text.map { $0.isNewline || $0 == "\0" ? " " : $0 })
    return line.count > longestText ? "\(line.prefix(longestText))…" : line
  }
}

extension [OSCArgument] {
  /// The text at a place; `nil` where there is none.
  fileprivate func text(_ index: Int) -> String? {
    guard indices.contains(index), case .string(let text) = self[index] else { return nil }
    return text
  }
}
