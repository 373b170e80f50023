/// A port of a server's, by what it is for.
public struct PortDescription: Sendable, Hashable {
  /// The content of a port.
  public enum Content: Sendable, Hashable {
    /// Samples.
    case audio
    /// Messages.
    case midi
  }

  /// Which way a port carries it.
  public enum Direction: Sendable, Hashable {
    /// Into its client: an output can be connected to it.
    case input
    /// Out of its client: it can be connected to an input.
    case output
  }

  /// The full name: the client's, a colon, and the port's.
  public let name: String
  /// The content.
  public let content: Content
  /// The way that it carries it.
  public let direction: Direction
  /// Whether it stands for a connector of a device: an output for a microphone, an input for a loudspeaker.
  public let isPhysical: Bool
  /// Whether it belongs to the client that has asked.
  public let isOwn: Bool

  /// A port.
  public init(name: String, content: Content, direction: Direction, isPhysical: Bool, isOwn: Bool) {
    (self.name, self.content, self.direction) = (name, content, direction)
    (self.isPhysical, self.isOwn) = (isPhysical, isOwn)
  }
}

extension ActiveClient {
  /// The ports of the server, in its order, those for audio before those for MIDI.
  ///
  /// Empty when the client is closed, or its server gone. Worth asking again after
  /// ``ServerEvent/graphOrderChanged``. The corresponding C functions are `jack_get_ports` and `jack_port_flags`.
  ///
  /// - Parameter content: The content of the ports; `nil` for both.
  /// - Returns: The ports, with those of this client.
  public func ports(carrying content: PortDescription.Content? = nil) -> [PortDescription] {
    connection.callIfOpen { LibJACK.ports($0, content) } ?? []
  }
}
