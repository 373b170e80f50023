/// The versions that a bug report needs.
enum Version {
  /// The program's own.
  static let jackstay = "0.1.0"

  // INTEGRATION: replace the two by `Link.version` of AbletonLink and `JACKLibrary.version` of JACK.
  /// Link's.
  static let link = "(not linked)"
  /// JACK's.
  static let jack = "(not linked)"

  /// What `--version` prints.
  static let report = """
    jackstay \(jackstay)
    Ableton Link \(link)
    JACK \(jack)
    """
}
