/// Why something could not be done with JACK.
///
/// Every description says what was wrong and what to do about it, in two short sentences.
public enum JACKError: Error, Sendable, Hashable {
  /// No server of that name answers.
  case serverNotRunning(server: String)
  /// No server of that name answers, though there is one.
  case serverUnreachable(server: String, ServerAbsence)
  /// The server of that name has no room for another client.
  case serverFull(server: String)
  /// The server, or the library on its behalf, did not accept the client.
  case serverRefused(OpenStatus)
  /// Library and server speak different versions of JACK's protocol.
  case protocolMismatch
  /// Another client has the name, and ``Client/Options/useExactName`` forbids JACK to choose another.
  case nameTaken(String)
  /// JACK cannot use the name for a client.
  case invalidName(String, NameProblem)
  /// JACK cannot use the name for a server.
  case invalidServerName(String, NameProblem)
  /// The server did not start calling the client.
  case cannotActivate(code: Int32)
  /// The server has shut down or died: the client can only be closed.
  case serverGone
  /// The client was closed before the call.
  case clientClosed
  /// The key, value or type of a property contains a zero character, or the key is empty.
  case invalidProperty(key: String)
  /// The server did not give the client a port of that name.
  case noPort(String)
  /// A port of that full name is there, or one that has it as an alias.
  case portTaken(String)
  /// A function of the C library failed with the given code.
  case callFailed(function: String, code: Int32)

  /// The fault of a name.
  public enum NameProblem: Sendable, Hashable {
    /// There is nothing in it.
    case empty
    /// It is longer than `limit` bytes of UTF-8.
    case tooLong(limit: Int)
    /// It contains a character that JACK uses itself or that cannot be shown.
    case forbiddenCharacter(Unicode.Scalar)
  }
}

extension JACKError {
  /// Whether a server may take a client in later, without anything else being changed.
  public var isPassing: Bool {
    switch self {
    case .serverNotRunning, .serverUnreachable, .serverFull: true
    default: false
    }
  }

  /// The same, and where no server answered, what there is of it nevertheless.
  ///
  /// Reads some hundred small files of the kernel's. Thread-safe. Realtime-safe: no.
  public var explained: JACKError {
    guard case .serverNotRunning(let server) = self, let absence = ServerAbsence.look(for: server) else {
      return self
    }
    return .serverUnreachable(server: server, absence)
  }
}

extension JACKError: CustomStringConvertible {
  /// The fault, and the remedy.
  public var description: String {
    switch self {
    case .serverNotRunning(let server):
      "The JACK server \(Self.quoted(server)) does not answer. Start it as this user, or name one that runs."
    case .serverUnreachable(let server, let absence): "\(absence.text(of: server)). \(absence.remedy)."
    case .serverFull(let server):
      "The JACK server \(Self.quoted(server)) has no room for another client. Close a client."
    case .serverRefused(let status):
      """
      The JACK server did not accept the client (\(status)). Close a client, choose a shorter name, or \
      see its messages.
      """
    case .protocolMismatch:
      """
      The JACK server and the library of this program (\(LibJACK.version)) are of different releases. Restart the server, or \
      install one release.
      """
    case .nameTaken(let name):
      "The client name \(Self.quoted(name)) is taken. Choose another, or let JACK append a number."
    case .invalidName(let name, let problem): "The client name \(Self.quoted(name)) \(problem)"
    case .invalidServerName(let name, let problem): "The server name \(Self.quoted(name)) \(problem)"
    case .cannotActivate(let code):
      "The JACK server did not activate the client (code \(code)). See the server's messages, and try again."
    case .serverGone: "The JACK server has shut down. Open another client when a server runs."
    case .clientClosed: "The JACK client is closed. Open another."
    case .invalidProperty(let key):
      "The property \(Self.quoted(key)) has an empty key, or a zero character in it. Change it."
    case .noPort(let name):
      """
      The JACK server has no port left for \(Self.quoted(name)). Close clients, or start the server with more ports: \
      jackd --port-max
      """
    case .portTaken(let name):
      """
      The port name \(Self.quoted(name)) is taken. Remove that alias with jack_alias -u, or choose another \
      client name.
      """
    case .callFailed(let function, let code):
      "\(function) failed with code \(code). See the messages of the JACK library and server, and try again."
    }
  }

  static func quoted(_ text: String) -> String {
    // Names reach terminals and logs: nothing in them may move a cursor.
    let shown = text.unicodeScalars.map { scalar in
      scalar.properties.generalCategory == .control
        ? "\\u{" + String(scalar.value, radix: 16) + "}" : String(scalar)
    }
    return "'" + shown.joined() + "'"
  }
}

extension JACKError.NameProblem: CustomStringConvertible {
  /// The problem, to follow the name in a sentence, and what to do.
  public var description: String {
    switch self {
    case .empty: "is empty. Give one."
    case .tooLong(let limit): "is too long. Shorten it to \(limit) bytes of UTF-8."
    case .forbiddenCharacter(let scalar):
      """
      contains U+\(String(scalar.value, radix: 16, uppercase: true)), which JACK's names cannot have. Remove it.
      """
    }
  }
}
