/// A version of PipeWire.
public struct PipeWireVersion: Sendable, Comparable, CustomStringConvertible {
  private let numbers: [Int]

  /// A version, such as 1.4.2.
  public init(_ major: Int, _ minor: Int, _ patch: Int) { numbers = [major, minor, patch] }

  /// The version of the PipeWire that a JACK library is of, such as `3.0.0.0 (using PipeWire 0.3.65)`; `nil`
  /// for another library. A number that is not there is 0.
  public init?(libraryVersion: String) {
    guard let name = libraryVersion.firstRange(of: "PipeWire ") else { return nil }
    let numbers = libraryVersion[name.upperBound...].split { !$0.isNumber }.compactMap { Int($0) }
    self.numbers = Array((numbers + [0, 0, 0]).prefix(3))
  }

  /// Those that may lose MIDI events.
  public static let losesMIDI = PipeWireVersion(1, 6, 0)...PipeWireVersion(1, 6, 7)

  /// Whether the first version came before the second one.
  public static func < (a: PipeWireVersion, b: PipeWireVersion) -> Bool {
    a.numbers.lexicographicallyPrecedes(b.numbers)
  }

  /// The version as people write it: `1.4.2`.
  public var description: String { numbers.map(String.init).joined(separator: ".") }
}
