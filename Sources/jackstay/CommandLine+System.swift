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

  /// The environment variables that say where a user's files are. The corresponding C function is `getenv`.
  static var environment: [String: String] {
    var environment: [String: String] = [:]
    for name in ["HOME", "XDG_CONFIG_HOME", "XDG_RUNTIME_DIR"] {
      if let value = getenv(name) { environment[name] = String(cString: value) }
    }
    return environment
  }
}
