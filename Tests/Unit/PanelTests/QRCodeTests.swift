import Testing

@testable import Panel

@Suite struct QRCodeTests {
  /// The pattern that cameras look for in three of the corners.
  private static let finder = ["#######", "#.....#", "#.###.#", "#.###.#", "#.###.#", "#.....#", "#######"]

  private func text(_ code: QRCode) -> [String] {
    code.rows.map { String($0.map { $0 ? "#" : "." }) }
  }

  @Test func `A code is as large as its text needs, and has the marks for cameras`() throws {
    for (length, width) in [(1, 21), (17, 21), (18, 25), (32, 25), (67, 33), (78, 33), (79, 37), (2953, 177)]
    {
      let code = try #require(QRCode(String(repeating: "a", count: length)))
      let rows = text(code)
      #expect(rows.count == width && rows.allSatisfy { $0.count == width }, "\(length)")
      #expect(rows.prefix(7).map { String($0.prefix(7)) } == Self.finder)
      #expect(rows.prefix(7).map { String($0.suffix(7)) } == Self.finder)
      #expect(rows.suffix(7).map { String($0.prefix(7)) } == Self.finder)
      // The lines by which cameras count, and the one module that is always dark.
      #expect(rows[6].dropFirst(8).dropLast(8).enumerated().allSatisfy { ($1 == "#") == ($0 % 2 == 0) })
      #expect(Array(rows[width - 8])[8] == "#")
    }
    #expect(QRCode("") == nil && QRCode(String(repeating: "a", count: 2954)) == nil)
    #expect(QRCode("a") == QRCode("a") && QRCode("a") != QRCode("b"))
  }

  @Test func `An encoded text can be read from the code`() throws {
    // Of one block, so that the bytes are in order: up to version 5.
    for text in ["http://192.168.1.20:8090/?token=0123456789abcdef0123456789abcdef", "x", "grün"] {
      #expect(try #require(QRCode(text)).decoded == text)
    }
  }

  @Test func `In a terminal it is two rows a line, light around dark with any colours of the terminal`()
    throws
  {
    let code = try #require(QRCode("http://127.0.0.1:8090/"))
    let lines = code.lines
    #expect(lines.count == (25 + 4 + 1) / 2)
    for line in lines {
      #expect(line.hasPrefix("\u{1B}[97;40m") && line.hasSuffix("\u{1B}[0m"))
      #expect(line.count { "█▀▄ ".contains($0) } == 25 + 4)
    }
    #expect(lines[0].count { $0 == "█" } == 29)
    // The finder's upper edge, and the first of its sides.
    #expect(lines[1].dropFirst("\u{1B}[97;40m".count).hasPrefix("██ ▄▄▄▄▄ █"))
  }
}

extension QRCode {
  /// The text of a code of one block, in bytes, read by the standard's own steps.
  fileprivate var decoded: String {
    let width = rows.count
    let version = (width - 17) / 4
    // Which of the eight patterns lies over the data: beside the upper left finder, behind a pattern of its own.
    let mask = [rows[8][2], rows[8][3], rows[8][4]].reduce(0) { $0 << 1 | ($1 ? 1 : 0) } ^ 0b101
    var bits: [Bool] = []
    var (column, goesUp) = (width - 1, true)
    while column > 0 {
      if column == 6 { column -= 1 }
      for step in 0..<width {
        let row = goesUp ? width - 1 - step : step
        for column in [column, column - 1] where !isFunction(row, column, version) {
          bits.append(rows[row][column] != Self.isMasked(mask, row, column))
        }
      }
      goesUp.toggle()
      column -= 2
    }
    func number(_ range: Range<Int>) -> Int { bits[range].reduce(0) { $0 << 1 | ($1 ? 1 : 0) } }
    // Four bits for the kind, eight for the length.
    guard number(0..<4) == 4 else { return "" }
    let bytes = (0..<number(4..<12)).map { UInt8(number(12 + 8 * $0..<20 + 8 * $0)) }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Whether a module is part of a pattern, and no data.
  private func isFunction(_ row: Int, _ column: Int, _ version: Int) -> Bool {
    let width = rows.count
    if row == 6 || column == 6 { return true }
    if row < 9, column < 9 || column >= width - 8 { return true }
    if row >= width - 8, column < 9 { return true }
    let centre = width - 7
    return version > 1 && abs(row - centre) <= 2 && abs(column - centre) <= 2
  }

  private static func isMasked(_ mask: Int, _ row: Int, _ column: Int) -> Bool {
    switch mask {
    case 0: (row + column) % 2 == 0
    case 1: row % 2 == 0
    case 2: column % 3 == 0
    case 3: (row + column) % 3 == 0
    case 4: (row / 2 + column / 3) % 2 == 0
    case 5: row * column % 2 + row * column % 3 == 0
    case 6: (row * column % 2 + row * column % 3) % 2 == 0
    default: ((row + column) % 2 + row * column % 3) % 2 == 0
    }
  }
}
