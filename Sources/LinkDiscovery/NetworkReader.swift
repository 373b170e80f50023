/// Takes the bytes of a message apart from the front: numbers in network order, and pieces of a known length.
struct NetworkReader {
  private var rest: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

  /// Whether all was taken.
  var isAtEnd: Bool { rest.isEmpty }

  /// The next `count` bytes; `nil` where there are fewer.
  mutating func bytes(_ count: Int) -> ArraySlice<UInt8>? {
    guard count >= 0, count <= rest.count else { return nil }
    defer { rest = rest.dropFirst(count) }
    return rest.prefix(count)
  }

  /// A number of as many bytes as its type has; `nil` where there are fewer.
  mutating func number<Number: FixedWidthInteger>(_ type: Number.Type = Number.self) -> Number? {
    bytes(Number.bitWidth / 8)?.reduce(0) { $0 << 8 | Number(truncatingIfNeeded: $1) }
  }
}

/// The entries after a message's header: a key of four letters, a length, and so many bytes.
struct Payload {
  /// The last entry of each key, as Link reads them.
  private var entries: [UInt32: ArraySlice<UInt8>] = [:]

  /// `nil` where a length leads beyond the end.
  init?(reading bytes: ArraySlice<UInt8>) {
    var reader = NetworkReader(bytes)
    while !reader.isAtEnd {
      guard let key = reader.number(UInt32.self), let length = reader.number(UInt32.self),
        let value = reader.bytes(Int(length))
      else { return nil }
      entries[key] = value
    }
  }

  /// The content of an entry; `nil` where there is none.
  subscript(key: Key) -> ArraySlice<UInt8>? { entries[key.rawValue] }

  /// The keys of the entries that are read; others are passed over, as Link does.
  enum Key: UInt32 {
    /// `tmln`
    case timeline = 0x746D_6C6E
    /// `sess`
    case session = 0x7365_7373
    /// `stst`
    case startStop = 0x7374_7374
    /// `mep4`
    case version4 = 0x6D65_7034
    /// `mep6`
    case version6 = 0x6D65_7036
    /// `__ht`
    case hostTime = 0x5F5F_6874
  }
}
