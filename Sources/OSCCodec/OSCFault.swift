/// What is wrong with something that has arrived.
public enum OSCFault: Error, Sendable, Hashable {
  /// It is no OSC, or of types that are not taken.
  case malformed
  /// It is for somebody else, and has no answer: whoever answers what nobody has asked may be answered for
  /// ever.
  case foreign
  /// It is for us, and cannot be done, for the reason given.
  case wrong(String)
}
