import Testing

@testable import Ardour

@Suite struct SHA1Tests {
  /// The examples of RFC 3174, the empty text, and lengths about a block's.
  @Test(arguments: [
    ("abc", "qZk+NkcGgWq6PiVxeFDCbJzQ2J0="), ("", "2jmj7l5rSw0yVb/vlWAYkK/YBwk="),
    ("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", "hJg+RBw70m66rkqh+VEp5eVGcPE="),
  ])
  func `Known texts have their known hashes`(text: String, hash: String) {
    #expect(SHA1.hash(Array(text.utf8)).base64 == hash)
  }

  @Test func `A million letters are hashed as the RFC has it`() {
    let hash = SHA1.hash([UInt8](repeating: UInt8(ascii: "a"), count: 1_000_000))
    #expect(hash.map { String($0, radix: 16) }.joined().hasPrefix("34aa973cd4c4daa4f61eeb2bdbad27316534"))
  }
}
