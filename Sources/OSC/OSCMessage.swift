/// An OSC message: an address, and what goes with it.
public struct OSCMessage: Sendable, Hashable {
  /// Where it goes, as `/jackstay/tempo`.
  public var address: String
  /// What goes with it.
  public var arguments: [OSCArgument]

  /// A message.
  public init(_ address: String, _ arguments: OSCArgument...) {
    self.init(address, arguments: arguments)
  }

  /// A message with arguments that were put together before.
  public init(_ address: String, arguments: [OSCArgument]) {
    self.address = address
    self.arguments = arguments
  }

  /// The message as it is sent.
  public var bytes: [UInt8] { LibLO.bytes(of: self) }

  /// Whether the machine has liblo, which turns messages into bytes and bytes into messages.
  public static var canBeSent: Bool { LibLO.isInstalled }
}
