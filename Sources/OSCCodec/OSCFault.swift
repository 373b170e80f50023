/// A fault of a datagram or message that has arrived.
public enum OSCFault: Error, Sendable, Hashable {
  /// It is no OSC, or of types that are not taken.
  case malformed
  /// It is for another program, and gets no answer: two programs that answer each other's answers never stop.
  case foreign
  /// It is for the bridge, and cannot be done, for the reason given.
  case wrong(String)
}
