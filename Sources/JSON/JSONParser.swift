extension JSONObject {
  /// Reads one flat object, as RFC 8259 has it, with spaces around it and nothing else.
  ///
  /// Takes no list, no object within it, no name twice, no number that is not finite, and no text that is not
  /// UTF-8. It takes time in proportion to the bytes, but for the names, which are compared with each other.
  public init(parsing bytes: some Sequence<UInt8>) throws(JSONFault) {
    var parser = JSONParser(Array(bytes))
    self = try parser.object()
  }
}

/// Reads one flat JSON object, byte by byte.
struct JSONParser {
  private let bytes: [UInt8]
  private var index = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// The object that all the bytes are.
  mutating func object() throws(JSONFault) -> JSONObject {
    var object = JSONObject()
    skipSpace()
    try expect("{", "an object, as in {\"command\":\"start\"}")
    skipSpace()
    if !skip("}") {
      repeat {
        skipSpace()
        let start = index
        guard current == UInt8(ascii: "\"") else { throw fault("a name in quotes") }
        let name = try string()
        guard object[name] == nil else { throw fault(at: start, "a name that is not there already") }
        skipSpace()
        try expect(":", "':' after the name")
        skipSpace()
        object[name] = try value()
        skipSpace()
      } while skip(",")
      try expect("}", "',' or '}' after the value")
    }
    skipSpace()
    guard current == nil else { throw fault("nothing after the object") }
    return object
  }

  private mutating func value() throws(JSONFault) -> JSONValue {
    switch current {
    case UInt8(ascii: "\""): return .string(try string())
    case let byte? where byte == UInt8(ascii: "-") || byte.isDigit: return .number(try number())
    default: break
    }
    for (word, value) in [("true", JSONValue.boolean(true)), ("false", .boolean(false)), ("null", .null)]
    where bytes[index...].starts(with: word.utf8) {
      index += word.utf8.count
      return value
    }
    throw fault("a text in quotes, a number, true, false or null")
  }

  private mutating func number() throws(JSONFault) -> Double {
    let start = index
    skip("-")
    // No zeros before a number.
    if !skip("0") { try digits() }
    if skip(".") { try digits() }
    if skip("e") || skip("E") {
      if !skip("-") { skip("+") }
      try digits()
    }
    guard let number = Double(String(decoding: bytes[start..<index], as: UTF8.self)), number.isFinite else {
      throw fault(at: start, "a number below 1.8e308")
    }
    return number
  }

  private mutating func digits() throws(JSONFault) {
    let start = index
    while let byte = current, byte.isDigit { index += 1 }
    guard index > start else { throw fault("a digit") }
  }

  private mutating func string() throws(JSONFault) -> String {
    let start = index
    var units: [UInt8] = []
    index += 1
    while let byte = current, byte != UInt8(ascii: "\"") {
      guard byte >= 0x20 else { throw fault("control characters escaped, as in \\u001b") }
      index += 1
      if byte == UInt8(ascii: "\\") {
        units += Array(String(try escape()).utf8)
      } else {
        units.append(byte)
      }
    }
    guard skip("\"") else { throw fault(at: start, "a closing quote at the end of this text") }
    guard let text = String(validating: units, as: UTF8.self) else {
      throw fault(at: start, "a text in UTF-8")
    }
    return text
  }

  /// The character that an escape stands for, after the backslash.
  private mutating func escape() throws(JSONFault) -> Unicode.Scalar {
    let start = index - 1
    guard let byte = current else { throw fault("a character after '\\'") }
    index += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{C}"
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "u"): break
    default: throw fault(at: start, #"one of \" \\ \/ \b \f \n \r \t \uXXXX"#)
    }
    let first = try hexadecimal()
    if let scalar = Unicode.Scalar(first) { return scalar }
    // The first half of a character beyond the first 65536.
    guard first < 0xDC00, skip("\\"), skip("u") else {
      throw fault(at: start, "both halves of a character, as in \\ud83c\\udfb5")
    }
    let second = try hexadecimal()
    guard (0xDC00..<0xE000).contains(second),
      let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
    else { throw fault(at: start, "both halves of a character, as in \\ud83c\\udfb5") }
    return scalar
  }

  private mutating func hexadecimal() throws(JSONFault) -> UInt32 {
    var value: UInt32 = 0
    for _ in 0..<4 {
      guard let byte = current, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
        throw fault("four hexadecimal digits")
      }
      value = value << 4 | UInt32(digit)
      index += 1
    }
    return value
  }
}

extension JSONParser {
  private var current: UInt8? { index < bytes.count ? bytes[index] : nil }

  private func fault(at index: Int? = nil, _ expectation: String) -> JSONFault {
    JSONFault(position: (index ?? self.index) + 1, expectation: expectation)
  }

  private mutating func skipSpace() {
    while let byte = current, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { index += 1 }
  }

  @discardableResult private mutating func skip(_ scalar: Unicode.Scalar) -> Bool {
    guard current == UInt8(ascii: scalar) else { return false }
    index += 1
    return true
  }

  private mutating func expect(_ scalar: Unicode.Scalar, _ expectation: String) throws(JSONFault) {
    guard skip(scalar) else { throw fault(expectation) }
  }
}

extension UInt8 {
  fileprivate var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
}
