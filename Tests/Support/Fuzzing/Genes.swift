import PropertyTesting

/// Numbers out of the bytes of an input; zeros when those are used up.
///
/// Numbers of all sizes are equally likely: the ends of their ranges and the places where others wrap are a
/// byte away.
struct Genes {
  private let bytes: [UInt8]
  private var index = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var isAtEnd: Bool { index >= bytes.count }

  mutating func byte() -> UInt8 {
    defer { index += 1 }
    return index < bytes.count ? bytes[index] : 0
  }

  mutating func below(_ count: Int) -> Int { Int(byte()) % count }

  mutating func truth() -> Bool { byte() & 1 == 1 }

  mutating func element<Element>(of elements: [Element]) -> Element { elements[below(elements.count)] }

  mutating func bits() -> UInt64 {
    var bits: UInt64 = 0
    for _ in 0..<8 { bits = bits << 8 | UInt64(byte()) }
    return bits
  }

  mutating func int64() -> Int64 {
    switch below(4) {
    case 0: element(of: Self.edges)
    case 1: Int64(truncatingIfNeeded: bits())
    case 2: Int64(Int8(truncatingIfNeeded: byte())) * 1_000_000
    default: Int64(truncatingIfNeeded: bits()) >> Int64(below(64))
    }
  }

  mutating func uint32() -> UInt32 {
    switch below(4) {
    case 0: UInt32(truncatingIfNeeded: element(of: Self.edges))
    case 1: UInt32(truncatingIfNeeded: bits())
    case 2: UInt32.max - UInt32(byte())
    default: UInt32(truncatingIfNeeded: bits()) >> UInt32(below(32))
    }
  }

  mutating func int32() -> Int32 { Int32(bitPattern: uint32()) }

  mutating func double() -> Double {
    switch below(4) {
    case 0: element(of: Self.doubleEdges)
    case 1: Double(bitPattern: bits())
    case 2: Double(int64())
    default: Double(Int16(truncatingIfNeeded: bits())) / 16
    }
  }

  private static let edges: [Int64] = [
    0, 1, -1, .min, .max, .min + 1, 1 << 31, 1 << 32, -(1 << 31), (1 << 31) - 1, (1 << 32) - 1, 1 << 53,
    1 << 62,
    1_000_000_000_000_000_000, -1_000_000_000_000_000_000, 4_611_686_018_427_387_000,
    4_000_000_000_000_000_000,
  ]
  private static let doubleEdges: [Double] = [
    0, -0.0, .nan, -.nan, .signalingNaN, .infinity, -.infinity, .leastNonzeroMagnitude, .leastNormalMagnitude,
    .greatestFiniteMagnitude, -.greatestFiniteMagnitude, 1, -1, 64, 1e6, 1e8, 1e9, 0x1p63, -0x1p63, 0x1p31,
    0.5,
    20, 999, 19.98, 999.25, 1e-6, 1e-300,
  ]
}
