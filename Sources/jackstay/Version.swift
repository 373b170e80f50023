import AbletonLink
import JACK

/// The versions that a bug report needs. Link is compiled in, JACK's library is the one that the program has found.
enum Version {
  /// The program's own.
  static let jackstay = "0.1.0"

  /// The text of `--version`.
  static let report = """
    jackstay \(jackstay)
    Link \(Link.release)
    JACK \(JACKLibrary.version)
    """
}
