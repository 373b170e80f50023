/// The messages by which Link measures a peer: a ping to its endpoint, which answers with all that the ping had.
///
/// A peer answers every ping, also of a program that is in no session, and remembers nothing of it.
public enum Ping {
  private static let header = Array("_link_v".utf8) + [1]
  private static let ping: UInt8 = 1
  private static let pong: UInt8 = 2

  /// The most bytes that an answer has.
  public static let longest = 512

  /// A ping that carries a number, as Link's own carry the time.
  public static func message(carrying number: Int64) -> [UInt8] {
    header + [ping] + bytes(Payload.Key.hostTime.rawValue) + bytes(UInt32(8)) + bytes(number)
  }

  /// The number that the ping had which this answers; `nil` where it is no answer.
  public static func number(inAnswer bytes: [UInt8]) -> Int64? {
    var reader = NetworkReader(bytes[...])
    guard bytes.count <= longest, reader.bytes(header.count)?.elementsEqual(header) == true,
      reader.number() == pong, let payload = Payload(reading: bytes[(header.count + 1)...]),
      let time = payload[.hostTime], time.count == 8
    else { return nil }
    var number = NetworkReader(time)
    return number.number()
  }

  private static func bytes(_ number: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: number.bigEndian) { Array($0) }
  }
}
