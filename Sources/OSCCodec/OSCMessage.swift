/// An OSC message: an address with its values.
public struct OSCMessage: Sendable, Hashable {
  /// Where it goes, as `/jackstay/tempo`.
  public var address: String
  /// The values after the address.
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

  /// Reads the message that a datagram, or an element of a bundle, is: its address, its types, and a value for each.
  init(reading bytes: ArraySlice<UInt8>) throws(OSCFault) {
    var reader = OSCReader(bytes)
    let (address, tags) = (try reader.text(), try reader.text())
    guard address.first == UInt8(ascii: "/"), tags.first == UInt8(ascii: ",") else { throw .malformed }
    var arguments: [OSCArgument] = []
    for tag in tags.dropFirst() { arguments.append(try OSCArgument(tag, &reader)) }
    guard reader.isAtEnd else { throw .malformed }
    self.init(String(decoding: address, as: UTF8.self), arguments: arguments)
  }

  /// The message as it is sent.
  public var bytes: [UInt8] {
    [UInt8](text: address.utf8) + [UInt8](text: [UInt8(ascii: ",")] + arguments.map(\.tag))
      + arguments.flatMap(\.bytes)
  }
}
