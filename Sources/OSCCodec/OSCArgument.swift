/// An argument of an OSC message, of the types that are read and sent here.
public enum OSCArgument: Sendable, Hashable {
  /// `i`, a whole number.
  case int32(Int32)
  /// `h`, a whole number of twice that length.
  case int64(Int64)
  /// `f`, a number.
  case float(Float)
  /// `d`, a number of twice that length.
  case double(Double)
  /// `s`, a text. It ends at its first 0.
  case string(String)
  /// `T` or `F`.
  case bool(Bool)
  /// `N`, nothing. It is only sent.
  case null

  /// Reads the value that a letter stands for.
  init(_ tag: UInt8, _ reader: inout OSCReader) throws(OSCFault) {
    switch tag {
    case UInt8(ascii: "i"): self = .int32(try reader.number())
    case UInt8(ascii: "h"): self = .int64(try reader.number())
    case UInt8(ascii: "f"): self = .float(Float(bitPattern: try reader.number()))
    case UInt8(ascii: "d"): self = .double(Double(bitPattern: try reader.number()))
    case UInt8(ascii: "s"): self = .string(String(decoding: try reader.text(), as: UTF8.self))
    case UInt8(ascii: "T"): self = .bool(true)
    case UInt8(ascii: "F"): self = .bool(false)
    default: throw .malformed
    }
  }

  /// The letter of its type.
  var tag: UInt8 {
    switch self {
    case .int32: UInt8(ascii: "i")
    case .int64: UInt8(ascii: "h")
    case .float: UInt8(ascii: "f")
    case .double: UInt8(ascii: "d")
    case .string: UInt8(ascii: "s")
    case .bool(true): UInt8(ascii: "T")
    case .bool(false): UInt8(ascii: "F")
    case .null: UInt8(ascii: "N")
    }
  }

  /// The value as it is sent.
  var bytes: [UInt8] {
    switch self {
    case .int32(let number): [UInt8](number: number)
    case .int64(let number): [UInt8](number: number)
    case .float(let number): [UInt8](number: number.bitPattern)
    case .double(let number): [UInt8](number: number.bitPattern)
    case .string(let text): [UInt8](text: text.utf8)
    case .bool, .null: []
    }
  }
}
