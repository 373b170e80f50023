import Glibc

extension CommandLine {
  /// The arguments without the program's name, byte for byte: Swift's own repair what is not UTF-8.
  static var bytes: [[UInt8]] {
    UnsafeBufferPointer(start: unsafeArgv, count: Int(argc)).dropFirst().map { argument in
      argument.map { pointer in
        Array(UnsafeRawBufferPointer(start: pointer, count: strlen(pointer)))
      } ?? []
    }
  }

  /// The environment variables that say where a user's files are, which programs are to know of the bridge,
  /// and those that set options. Bytes that are no text are repaired. The corresponding C variable is
  /// `environ`.
  static let environment: [String: String] = {
    let wanted = ["HOME", "NOTIFY_SOCKET", "JOURNAL_STREAM", "NSM_URL"]
    var environment: [String: String] = [:]
    var next = environ
    while let entry = next.pointee {
      next += 1
      let text = String(cString: entry)
      guard let sign = text.firstIndex(of: "=") else { continue }
      let name = String(text[..<sign])
      guard wanted.contains(name) || name.hasPrefix("XDG_") || name.hasPrefix("JACKSTAY_") else { continue }
      environment[name] = String(text[text.index(after: sign)...])
    }
    return environment
  }()

  /// The folder of the user's guide: the one that is installed with the program, or else the source's.
  static var guide: String {
    let source = "Sources/jackstay/jackstay.docc"
    guard let program = realpath("/proc/self/exe", nil) else { return source }
    defer { free(program) }
    let parts = String(cString: program).split(separator: "/", omittingEmptySubsequences: false)
    let installed = parts.dropLast(2).joined(separator: "/") + "/share/doc/jackstay/guide"
    return access(installed, R_OK) == 0 ? installed : source
  }
}
