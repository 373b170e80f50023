/// Takes the bytes of a message apart, from the front: numbers in network order, and texts.
struct OSCReader {
  private var rest: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

  /// Whether all was taken.
  var isAtEnd: Bool { rest.isEmpty }

  /// The bytes of a text, which a 0 ends, and more of them up to a multiple of four.
  mutating func text() throws(OSCFault) -> ArraySlice<UInt8> {
    let text = rest.prefix { $0 != 0 }
    let padding = rest.dropFirst(text.count).prefix(4 - text.count % 4)
    guard padding.count == 4 - text.count % 4, padding.allSatisfy({ $0 == 0 }) else { throw .malformed }
    rest = rest[padding.endIndex...]
    return text
  }

  /// A number of as many bytes as its type has.
  mutating func number<Number: FixedWidthInteger>() throws(OSCFault) -> Number {
    let bytes = rest.prefix(Number.bitWidth / 8)
    guard bytes.count == Number.bitWidth / 8 else { throw .malformed }
    rest = rest[bytes.endIndex...]
    return bytes.reduce(0) { $0 << 8 | Number(truncatingIfNeeded: $1) }
  }
}

extension [UInt8] {
  /// A text as OSC has it: up to its first 0, which ends it, with more of them up to a multiple of four.
  init(text: some Sequence<UInt8>) {
    self.init(text.prefix { $0 != 0 })
    append(contentsOf: repeatElement(0, count: 4 - count % 4))
  }

  /// A number in network order.
  init(number: some FixedWidthInteger) { self = Swift.withUnsafeBytes(of: number.bigEndian) { Array($0) } }
}
