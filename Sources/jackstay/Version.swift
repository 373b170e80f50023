import AbletonLink
import JACK

/// The versions that a bug report needs.
enum Version {
  /// The program's own.
  static let jackstay = "0.1.0"

  /// What `--version` prints.
  static let report = """
    jackstay \(jackstay)
    Ableton Link \(Link.version)
    JACK \(JACKLibrary.version)
    """
}
