import Words

/// The text of a configuration file, and the name errors call it by.
public struct ConfigurationFile: Sendable {
  /// The largest file that is read: 1 MiB, ten thousand times what every option needs.
  public static let sizeLimit = 1 << 20

  /// The path, as it was given.
  public let path: String
  /// The contents, free of NUL.
  public let text: String

  /// The file named on the command line, after `word`, which must exist.
  public init(named path: String, after word: String = "--config") throws(SettingsError) {
    guard !path.isEmpty else {
      throw SettingsError("\(word) \"\": expected the path of a file, for example \(word) \(Self.example)")
    }
    guard let file = try ConfigurationFile(at: path) else {
      throw SettingsError(
        "\(path.echoedAsPath): no such file; correct the path, or leave out \(word == "--config" ? word : "the file")"
      )
    }
    self = file
  }

  /// The lines of the text, without what ends them, and without a byte order mark.
  var lines: [Substring.UnicodeScalarView] {
    let scalars = Substring(text).unicodeScalars
    return (scalars.first == "\u{FEFF}" ? scalars.dropFirst() : scalars)
      .split(separator: "\n", omittingEmptySubsequences: false)
      .map { $0.last == "\r" ? $0.dropLast() : $0 }
  }

  /// The files at their customary places, the weakest first: the system's, then the user's.
  public static func customary(environment: [String: String]) throws(SettingsError) -> [ConfigurationFile] {
    var files: [ConfigurationFile] = []
    for path in places(environment: environment) {
      if let file = try ConfigurationFile(at: path) { files.append(file) }
    }
    return files
  }

  /// Where files customarily are, the weakest first, whether or not there are any.
  ///
  /// The system's are in the folders of `XDG_CONFIG_DIRS`, of which the first counts most, by default in
  /// `/etc/xdg`; the user's is in `XDG_CONFIG_HOME`, by default `~/.config`. Relative folders do not count, as the
  /// XDG Base Directory Specification asks.
  public static func places(environment: [String: String]) -> [String] {
    let named = environment["XDG_CONFIG_DIRS"] ?? ""
    let folders = (named.isEmpty ? "/etc/xdg" : named).split(separator: ":").map(String.init)
    let users = UserFolder.configuration.path(environment: environment)
    return (folders.reversed().filter { $0.hasPrefix("/") } + [users].compactMap(\.self)).map {
      "\($0)/jackstay/config.toml"
    }
  }

  /// Text that is not in any file, or has been read already.
  public init(path: String, contents: [UInt8]) throws(SettingsError) {
    guard let text = String(validating: contents, as: UTF8.self) else {
      throw SettingsError(
        "\(path.echoedAsPath):\(contents.endOfText): not UTF-8 text; save the file in UTF-8")
    }
    // Text with NULs is in UTF-16, and not even its line ends would be found.
    guard !contents.contains(0) else {
      throw SettingsError(
        "\(path.echoedAsPath):\(contents.endOfText): NUL byte; expected a text file in UTF-8")
    }
    self.path = path
    self.text = text
  }

  private init?(at path: String) throws(SettingsError) {
    let contents: [UInt8]
    do {
      contents = try contentsOfFile(at: path, limit: Self.sizeLimit)
    } catch {
      switch error {
      case .missing: return nil
      case .notRegular(let kind):
        throw SettingsError("\(path.echoedAsPath): \(kind); expected a file such as \(Self.example)")
      case .tooLarge:
        throw SettingsError(
          "\(path.echoedAsPath): larger than 1 MiB; expected a file such as \(Self.example)")
      case .system(let reason):
        throw SettingsError("\(path.echoedAsPath): cannot be read: \(reason); check its permissions")
      }
    }
    try self.init(path: path, contents: contents)
  }

  private static let example = "jackstay.toml"
}

extension [UInt8] {
  /// Line and column of the end of the text: of the first byte that is NUL or not UTF-8. As editors count,
  /// from 1, and a column for each Unicode scalar.
  fileprivate var endOfText: String {
    var (line, column) = (1, 1)
    var decoder = UTF8()
    var bytes = makeIterator()
    while case .scalarValue(let scalar) = decoder.decode(&bytes), scalar != "\0" {
      (line, column) = scalar == "\n" ? (line + 1, 1) : (line, column + 1)
    }
    return "\(line):\(column)"
  }
}

extension String {
  /// The text as an error shows it when it is a path, which is longer than a value and known by its end.
  var echoedAsPath: String { echoed(limit: 200) }
}
