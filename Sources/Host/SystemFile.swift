import Glibc

/// Files and folders of the system's, whose sizes are not known before they are read.
///
/// Thread-safe. Realtime-safe: no.
public enum SystemFile {
  /// Reads a file as text. The corresponding C functions are `open` and `read`.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - limit: About how many bytes are read at most.
  /// - Returns: The text, or its beginning; `nil` where it cannot be read.
  public static func text(at path: String, limit: Int) -> String? {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var (piece, bytes) = ([UInt8](repeating: 0, count: 16384), [UInt8]())
    while bytes.count < limit {
      let count = read(file, &piece, piece.count)
      guard count > 0 else { break }
      bytes += piece[..<count]
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The names in a folder, in no order, `.` and `..` among them; `nil` where it cannot be read. The corresponding C
  /// functions are `opendir` and `readdir`.
  public static func names(in path: String) -> [String]? {
    guard let folder = opendir(path) else { return nil }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
      names.append(
        withUnsafeBytes(of: entry.pointee.d_name) { bytes in
          String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        })
    }
    return names
  }
}
