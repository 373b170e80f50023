import Glibc

/// The rules for names, checked before JACK sees them: it truncates some and splits port names at the colon.
enum Names {
  /// The server that is meant when none is named.
  static var defaultServer: String {
    getenv("JACK_DEFAULT_SERVER").map { String(cString: $0) } ?? "default"
  }

  static func checkClient(_ name: String) throws(JACKError) {
    if let problem = problem(in: name, forbidding: ":") { throw .invalidName(name, problem) }
  }

  static func checkServer(_ name: String) throws(JACKError) {
    // The server's name becomes part of the names of files.
    if let problem = problem(in: name, forbidding: ":/") { throw .invalidServerName(name, problem) }
  }

  private static func problem(in name: String, forbidding reserved: String) -> JACKError.NameProblem? {
    guard !name.isEmpty else { return .empty }
    let limit = LibJACK.longestName
    guard name.utf8.count <= limit else { return .tooLong(limit: limit) }
    let forbidden = name.unicodeScalars.first {
      $0.properties.generalCategory == .control || reserved.unicodeScalars.contains($0)
    }
    return forbidden.map { .forbiddenCharacter($0) }
  }
}
