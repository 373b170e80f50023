import JACK

/// The versions that a bug report needs. Link is compiled in, and its headers do not say which they are.
enum Version {
  /// The program's own.
  static let jackstay = "0.1.0"

  /// What `--version` prints.
  static let report = """
    jackstay \(jackstay)
    JACK \(JACKLibrary.version)
    """
}
