/// The content of one datagram: a message, or a bundle of them.
public enum OSCPacket {
  /// How deep bundles may be in each other.
  private static let deepest = 8
  private static let mark = Array("#bundle\0".utf8)
  /// The mark, and when it is for: the time is not waited for, what arrives is done.
  private static let headLength = 16
  /// How many messages there may be in a datagram.
  static let most = 64
  /// As many bytes as a datagram has room for in one frame of Ethernet.
  public static let longest = 1400

  /// The messages in a datagram, in order; all of them, or none if something is wrong with one.
  public static func messages(in bytes: [UInt8]) throws(OSCFault) -> [OSCMessage] {
    try messages(in: bytes[...], depth: 0)
  }

  private static func messages(in bytes: ArraySlice<UInt8>, depth: Int) throws(OSCFault) -> [OSCMessage] {
    guard bytes.starts(with: mark) else { return [try OSCMessage(reading: bytes)] }
    guard bytes.count >= headLength, depth < deepest else { throw .malformed }
    var messages: [OSCMessage] = []
    var rest = bytes.dropFirst(headLength)
    while !rest.isEmpty {
      guard rest.count >= 4 else { throw .malformed }
      let length = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
      rest = rest.dropFirst(4)
      guard length > 0, length <= rest.count else { throw .malformed }
      messages += try self.messages(in: rest.prefix(length), depth: depth + 1)
      guard messages.count <= most else { throw .malformed }
      rest = rest.dropFirst(length)
    }
    return messages
  }

  /// As few datagrams as the messages need: each a bundle, which is for now, of those that fit.
  public static func bundles(of messages: [OSCMessage]) -> [[UInt8]] {
    var bundles: [[UInt8]] = []
    var bundle: [UInt8] = []
    for message in messages.map(\.bytes) {
      if bundle.count + 4 + message.count > longest {
        if !bundle.isEmpty { bundles.append(bundle) }
        bundle = []
      }
      if bundle.isEmpty { bundle = mark + [0, 0, 0, 0, 0, 0, 0, 1] }
      bundle += [UInt8](number: UInt32(message.count)) + message
    }
    return bundle.isEmpty ? bundles : bundles + [bundle]
  }
}
