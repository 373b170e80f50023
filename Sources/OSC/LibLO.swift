internal import COSC
import Glibc

/// Every call into liblo, and nothing else. The machine may have no liblo: see ``isInstalled``.
///
/// It reads and writes messages. Sockets are not its business: what it does with datagrams that are no OSC is
/// nothing that could be counted.
enum LibLO {
  /// Whether the machine has the library. Without it every datagram is malformed, and no message has any bytes.
  static var isInstalled: Bool { osc_load() != nil }

  /// The message that a datagram, or an element of a bundle, is.
  ///
  /// The corresponding C function is `lo_message_deserialise`.
  static func message(in bytes: ArraySlice<UInt8>) throws(OSCFault) -> OSCMessage {
    // It may be written to: what is deserialised is turned into the machine's byte order.
    var bytes = Array(bytes)
    guard let tags = tags(in: bytes), tags.allSatisfy({ OSCArgument.taken.utf8.contains($0) }) else {
      throw .malformed
    }
    var code: Int32 = 0
    guard let library = osc_load()?.pointee,
      let message = library.message_deserialise(&bytes, bytes.count, &code)
    else { throw .malformed }
    defer { library.message_free(message) }
    let address = bytes.withUnsafeBytes { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    let values = library.message_get_argv(message)
    var arguments: [OSCArgument] = []
    for (index, tag) in tags.enumerated() {
      guard let argument = argument(tag, values?[index]) else { throw .malformed }
      arguments.append(argument)
    }
    return OSCMessage(address, arguments: arguments)
  }

  /// The letters of a message's types; `nil` where there are none.
  ///
  /// What is not taken is never deserialised: liblo looks at a blob's length before it knows that there is one.
  private static func tags(in bytes: [UInt8]) -> [UInt8]? {
    guard bytes.first == UInt8(ascii: "/"), let end = bytes.firstIndex(of: 0) else { return nil }
    let start = (end / 4 + 1) * 4
    guard start < bytes.count, bytes[start] == UInt8(ascii: ",") else { return nil }
    return Array(bytes[(start + 1)...].prefix { $0 != 0 })
  }

  /// A value, which need not be aligned as its type is elsewhere.
  private static func argument(_ tag: UInt8, _ value: UnsafeMutablePointer<lo_arg>?) -> OSCArgument? {
    switch tag {
    case UInt8(ascii: "T"): return .bool(true)
    case UInt8(ascii: "F"): return .bool(false)
    default: break
    }
    guard let value = value.map({ UnsafeRawPointer($0) }) else { return nil }
    switch tag {
    case UInt8(ascii: "i"): return .int32(value.loadUnaligned(as: Int32.self))
    case UInt8(ascii: "h"): return .int64(value.loadUnaligned(as: Int64.self))
    case UInt8(ascii: "f"): return .float(value.loadUnaligned(as: Float.self))
    case UInt8(ascii: "d"): return .double(value.loadUnaligned(as: Double.self))
    case UInt8(ascii: "s"): return .string(String(cString: value.assumingMemoryBound(to: CChar.self)))
    default: return nil
    }
  }

  /// A message as it is sent.
  ///
  /// The corresponding C functions are `lo_message_add_int32` and so on, and `lo_message_serialise`.
  static func bytes(of message: OSCMessage) -> [UInt8] {
    guard let library = osc_load()?.pointee, let made = library.message_new() else { return [] }
    defer { library.message_free(made) }
    for argument in message.arguments {
      switch argument {
      case .int32(let number): _ = library.message_add_int32(made, number)
      case .int64(let number): _ = library.message_add_int64(made, number)
      case .float(let number): _ = library.message_add_float(made, number)
      case .double(let number): _ = library.message_add_double(made, number)
      case .string(let text): _ = library.message_add_string(made, text)
      case .bool(true): _ = library.message_add_true(made)
      case .bool(false): _ = library.message_add_false(made)
      case .null: _ = library.message_add_nil(made)
      }
    }
    var count = 0
    guard let bytes = library.message_serialise(made, message.address, nil, &count) else { return [] }
    defer { free(bytes) }
    return Array(UnsafeRawBufferPointer(start: bytes, count: count))
  }
}
