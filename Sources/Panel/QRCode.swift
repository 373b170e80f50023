internal import CQRencode

/// A text as a QR code, for cameras.
///
/// Thread-safe. Realtime-safe: no.
public struct QRCode: Sendable, Hashable {
  /// The code's rows from the top, each from the left; `true` is dark. There is no quiet zone around it.
  public let rows: [[Bool]]

  /// The code of a text, which can be read with 7 % of it hidden; `nil` where the text is empty or too long, which is
  /// beyond 2,953 bytes, and where the machine has no libqrencode. The corresponding C function is `QRcode_encodeData`.
  public init?(_ text: String) {
    let bytes = Array(text.utf8)
    // A version of 0 is the smallest into which it fits.
    guard let library = qr_load()?.pointee,
      let code = library.encode_data(Int32(clamping: bytes.count), bytes, 0, QR_ECLEVEL_L)
    else { return nil }
    defer { library.free(code) }
    let width = Int(code.pointee.width)
    rows = (0..<width).map { row in
      (0..<width).map { code.pointee.data[row * width + $0] & 1 == 1 }
    }
  }

  /// The code as lines for a terminal, with two rows in each and the quiet zone that cameras need around it.
  ///
  /// Its colours are given by number, so that a dark terminal and a light one show the same: light around
  /// dark, as cameras expect it.
  public var lines: [String] {
    let quiet = 2
    let isLight = { (row: Int, column: Int) in
      guard self.rows.indices.contains(row), self.rows.indices.contains(column) else { return true }
      return !self.rows[row][column]
    }
    let columns = -quiet..<rows.count + quiet
    return stride(from: -quiet, to: rows.count + quiet, by: 2).map { row in
      let text = columns.map { column in
        switch (isLight(row, column), isLight(row + 1, column)) {
        case (true, true): "█"
        case (true, false): "▀"
        case (false, true): "▄"
        case (false, false): " "
        }
      }.joined()
      return "\u{1B}[97;40m\(text)\u{1B}[0m"
    }
  }
}
