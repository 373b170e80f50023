import MusicalTime

/// The number by which Link tells peers, and sessions, apart.
///
/// A peer takes another one when all others have left its session. A session has the number of the peer that began it.
public struct NodeID: Sendable, Hashable {
  /// The number, its first byte on the wire the highest.
  public let bits: UInt64

  /// A number.
  public init(_ bits: UInt64) { self.bits = bits }

  /// Sixteen hexadecimal digits.
  public var text: String {
    let digits = String(bits, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}

/// A UDP port of a peer's, at which it answers pings.
public struct Endpoint: Sendable, Hashable {
  /// The address in network order: 4 or 16 bytes.
  public let address: [UInt8]
  /// The port.
  public let port: UInt16

  /// An address, as many bytes as its family has, and a port.
  public init(address: [UInt8], port: UInt16) {
    self.address = address
    self.port = port
  }

  /// Whether one machine has it, and not a group or all of a network.
  var isOfOneMachine: Bool {
    guard port != 0, let first = address.first, address.contains(where: { $0 != 0 }) else { return false }
    return address.count == 4 ? (1...223).contains(first) : first != 0xFF
  }
}

/// A message by which peers of Link find each other, as each sends it to Link's group several times a second.
///
/// It is read without Link: the header `_asdp_v` with a version, the kind, the time to live, the session group, the sender, and
/// entries of a key, a length and a value. All numbers are in network order.
public struct DiscoveryMessage: Sendable, Hashable {
  /// The purpose of a message.
  public enum Kind: UInt8, Sendable {
    /// To all: the sender's state.
    case alive = 1
    /// To one peer, in answer to ``alive``.
    case response = 2
    /// The sender leaves.
    case goodbye = 3
  }

  /// Why bytes are no message that is read here.
  public enum Fault: Error, Hashable, Sendable {
    /// They are no message of Link's, or not a whole one.
    case malformed
    /// A version of the protocol that is not 1.
    case version(UInt8)
  }

  /// The purpose.
  public let kind: Kind
  /// For how many seconds the sender is there without another message.
  public let secondsToLive: UInt8
  /// The group of sessions; Link itself knows 0 alone.
  public let group: UInt16
  /// The peer that sent it.
  public let sender: NodeID
  /// Microseconds per beat, which may be any number; `nil` where the message has no timeline.
  public let microsecondsPerBeat: Int64?
  /// The session that the sender is in.
  public let session: NodeID?
  /// Whether the sender's session plays; `nil` where the message does not have that.
  public let isPlaying: Bool?
  /// Where the sender answers pings; `nil` where it names no place, or one that is not of one machine.
  public let endpoint: Endpoint?

  /// The tempo; `nil` where there is none, or one that Link does not have.
  public var tempo: Tempo? {
    guard let microsecondsPerBeat, (60_060...3_000_000).contains(microsecondsPerBeat) else { return nil }
    // The fastest one is a little beyond its limit on the wire.
    return Tempo(clamping: 60e6 / Double(microsecondsPerBeat))
  }

  /// The most bytes that a message has.
  public static let longest = 512

  private static let mark = Array("_asdp_v".utf8)
  private static let version: UInt8 = 1

  /// Reads a datagram.
  public init(reading bytes: [UInt8]) throws(Fault) {
    var reader = NetworkReader(bytes[...])
    guard bytes.count <= Self.longest, reader.bytes(Self.mark.count)?.elementsEqual(Self.mark) == true,
      let version = reader.number(UInt8.self)
    else { throw .malformed }
    guard version == Self.version else { throw .version(version) }
    guard let kind = reader.number(UInt8.self).flatMap(Kind.init), let life = reader.number(UInt8.self),
      let group = reader.number(UInt16.self), let sender = reader.number(UInt64.self),
      let payload = Payload(reading: bytes[20...])
    else { throw .malformed }
    (self.kind, secondsToLive, self.group, self.sender) = (kind, life, group, NodeID(sender))
    microsecondsPerBeat = try Self.number(in: payload[.timeline], of: 24)
    session = try Self.number(in: payload[.session], of: 8).map { NodeID(UInt64(bitPattern: $0)) }
    if let startStop = payload[.startStop] {
      guard startStop.count == 17 else { throw .malformed }
      isPlaying = startStop.first != 0
    } else {
      isPlaying = nil
    }
    let version4 = try Self.endpoint(in: payload[.version4], addressBytes: 4)
    endpoint = try Self.endpoint(in: payload[.version6], addressBytes: 16) ?? version4
  }

  /// The number at the beginning of an entry, which has to have so many bytes.
  private static func number(in entry: ArraySlice<UInt8>?, of count: Int) throws(Fault) -> Int64? {
    guard let entry else { return nil }
    var reader = NetworkReader(entry)
    guard entry.count == count, let number = reader.number(Int64.self) else { throw .malformed }
    return number
  }

  /// The endpoint in an entry; Link 4.0 may write an empty one for the other family.
  private static func endpoint(
    in entry: ArraySlice<UInt8>?, addressBytes count: Int
  ) throws(Fault) -> Endpoint? {
    guard let entry, !entry.isEmpty else { return nil }
    var reader = NetworkReader(entry)
    guard entry.count == count + 2, let address = reader.bytes(count), let port = reader.number(UInt16.self)
    else { throw .malformed }
    let endpoint = Endpoint(address: Array(address), port: port)
    return endpoint.isOfOneMachine ? endpoint : nil
  }
}
