/// The secret part of a link to the panel, so that no user gets in who has not seen the link.
public struct PanelToken: Sendable, Hashable {
  /// 128 random bits, as 32 digits.
  public let text: String

  /// A new one, that cannot be guessed.
  public init() {
    var random = SystemRandomNumberGenerator()
    text = (0..<2).map { _ in
      let digits = String(random.next() as UInt64, radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
  }

  /// Whether `other` is the same text.
  ///
  /// It takes as long for each text of a length: how much of a wrong one is right cannot be measured.
  func isSaid(by other: String) -> Bool {
    let (own, said) = (Array(text.utf8), Array(other.utf8))
    guard own.count == said.count else { return false }
    var difference: UInt8 = 0
    for (one, other) in zip(own, said) { difference |= one ^ other }
    return difference == 0
  }
}
