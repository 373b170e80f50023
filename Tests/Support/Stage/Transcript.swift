/// The output of one stream of a child so far.
struct Transcript {
  private(set) var bytes: [UInt8] = []
  private(set) var lines: [String] = []
  private(set) var isOpen = true
  private var lineStart = 0

  var text: String { String(decoding: bytes, as: UTF8.self) }

  mutating func append(_ new: UnsafeRawBufferPointer) {
    let old = bytes.count
    bytes.append(contentsOf: new)
    for index in old..<bytes.count where bytes[index] == UInt8(ascii: "\n") { endLine(at: index) }
  }

  /// A last line may lack its end.
  mutating func close() {
    if lineStart < bytes.count { endLine(at: bytes.count) }
    isOpen = false
  }

  private mutating func endLine(at end: Int) {
    var line = bytes[lineStart..<end]
    if line.last == UInt8(ascii: "\r") { line.removeLast() }  // a terminal's line end
    lines.append(String(decoding: line, as: UTF8.self))
    lineStart = end + 1
  }
}
