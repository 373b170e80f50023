import JSON

/// The answer of a running bridge to one line.
public enum ControlAnswer: Sendable, Equatable {
  /// It is being done.
  case taken
  /// It is kept for later, for the reason given.
  case kept(String)
  /// It cannot be done now, for the reason given.
  case refused(String)
  /// It was not understood, for the reason given.
  case error(String)
  /// How things are.
  case status(JSONObject)
  /// Events follow, from now on.
  case watching
  /// The commands that the bridge knows.
  case help(String)

  /// The answer as its client gets it, with the client's name of the question.
  public func object(id: JSONValue?) -> JSONObject {
    var object: JSONObject = ["answer": .string(kind)]
    object["id"] = id
    switch self {
    case .taken, .watching: return object
    case .kept(let text), .refused(let text), .error(let text), .help(let text):
      object["message"] = .string(text)
      return object
    case .status(let status): return object.adding(status)
    }
  }

  private var kind: String {
    switch self {
    case .taken: "taken"
    case .kept: "kept"
    case .refused: "refused"
    case .error: "error"
    case .status: "status"
    case .watching: "watching"
    case .help: "help"
    }
  }
}
