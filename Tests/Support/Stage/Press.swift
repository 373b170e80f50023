/// An action of a user on the transport or the session.
public enum Press: Sendable, Hashable {
  /// An action of the probe's, which is a JACK client and a Link peer.
  case probe(String)
  /// A line on the bridge's standard input.
  case bridge(String)

  /// A JACK client starts the transport.
  public static let jackStart = Press.probe("jackstart")
  /// A JACK client stops the transport.
  public static let jackStop = Press.probe("jackstop")
  /// A peer starts the session.
  public static let peersPlay = Press.probe("playnow")
  /// A peer stops the session.
  public static let peersStop = Press.probe("stop")
  /// The user types `start`.
  public static let typedStart = Press.bridge("start")
  /// The user types `stop`.
  public static let typedStop = Press.bridge("stop")

  /// Starts by a JACK client, a peer, the user.
  public static let starts = [jackStart, peersPlay, typedStart]
  /// Stops by a JACK client, a peer, the user.
  public static let stops = [jackStop, peersStop, typedStop]

  /// Whether it starts both sides.
  public var isStart: Bool {
    switch self {
    case .probe(let words), .bridge(let words): ["jackstart", "playnow", "play", "start"].contains(words)
    }
  }
}

extension Press: CustomStringConvertible {
  /// The action, and its origin where that is not the probe.
  public var description: String {
    switch self {
    case .probe(let action): action
    case .bridge(let command): "bridge \(command)"
    }
  }
}

extension Scene {
  /// Presses.
  public func perform(_ press: Press) throws(StageError) {
    switch press {
    case .probe(let action): try probe.send(action)
    case .bridge(let command): try bridge.write(command + "\n")
    }
  }
}
