import Foundation

/// Random numbers of a seed.
public struct Dice: Sendable {
  private var state: UInt64

  /// The numbers of a seed.
  public init(_ seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 0x1234_5678_9ABC_DEF1 }

  /// From 0 to 1.
  public mutating func next() -> Double {
    state &+= 0x9E37_79B9_7F4A_7C15
    var word = state
    word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
    return Double((word ^ (word >> 31)) >> 11) / 9_007_199_254_740_992
  }

  /// Of a range.
  public mutating func next(_ range: ClosedRange<Double>) -> Double {
    range.lowerBound + next() * (range.upperBound - range.lowerBound)
  }

  /// One of some.
  public mutating func pick<Item>(_ items: [Item]) -> Item { items[Int(next() * Double(items.count))] }

  /// Of the normal distribution.
  public mutating func normal() -> Double {
    (-2 * log(max(next(), 1e-300))).squareRoot() * cos(2 * .pi * next())
  }
}

/// A sound that another device clicks with, from its beginning on.
public enum OtherSound: String, CaseIterable, Sendable {
  case sine, softSine, noise, drum, hat, block

  /// Whether each of them is another one.
  var isNoise: Bool { self == .noise || self == .hat }

  func samples(at rate: Double, accent: Bool, _ dice: inout Dice) -> [Double] {
    let pitch = accent ? 1.4 : 1.0
    func tone(_ seconds: Double, _ value: (Double) -> Double) -> [Double] {
      (0..<Int(seconds * rate)).map { value(Double($0) / rate) }
    }
    switch self {
    case .sine: return tone(0.1) { cos(2 * .pi * 1110 * pitch * $0) * (1 - sin(5 * .pi * $0)) }
    case .softSine:
      return tone(0.05) { min(1, $0 / 0.001) * sin(2 * .pi * 880 * pitch * $0) * exp(-$0 / 0.015) }
    case .noise: return (0..<Int(0.04 * rate)).map { dice.normal() * 0.5 * exp(-Double($0) / rate / 0.01) }
    case .drum:
      return tone(0.15) { time in
        let turns = 55 * time + 4 * (1 - exp(-time / 0.02)) * pitch
        return min(1, time / 0.0005) * sin(2 * .pi * turns + 0.5) * exp(-time / 0.05)
          + 0.4 * exp(-time / 0.002) * sin(2 * .pi * 2500 * time)
      }
    case .hat: return (0..<Int(0.03 * rate)).map { dice.normal() * 0.5 * exp(-Double($0) / rate / 0.006) }
    case .block:
      return tone(0.03) {
        exp(-$0 / 0.004) * (sin(2 * .pi * 1300 * pitch * $0) + 0.5 * sin(2 * .pi * 2950 * $0))
      }
    }
  }
}

/// How a sound comes from a loudspeaker to the microphone: paths that take longer, with their loudness.
public struct Room: Sendable {
  var paths: [(seconds: Double, size: Double)]

  /// The direct path alone.
  public static let none = Room(paths: [(0, 1)])

  /// The direct path, early reflections, and an echo that dies away by 60 dB in a time.
  public init(
    direct: Double, strongest: (seconds: Double, size: Double)?, reverberation: Double,
    _ dice: inout Dice
  ) {
    paths = [(0, direct)]
    if let strongest { paths.append(strongest) }
    for _ in 0..<5 { paths.append((dice.next(0.001...0.03), dice.next(-0.5...0.5))) }
    var time = 0.002
    while time < reverberation {
      paths.append((time, (dice.next() < 0.5 ? -0.12 : 0.12) * exp(-6.9 * time / reverberation)))
      time += dice.next(0.0002...0.0012)
    }
  }

  init(paths: [(seconds: Double, size: Double)]) { self.paths = paths }

  func heard(_ sound: [Double], at rate: Double) -> [Double] {
    let longest = paths.map(\.seconds).max() ?? 0
    var result = [Double](repeating: 0, count: sound.count + Int(longest * rate) + 1)
    for (seconds, size) in paths {
      let delay = Int((seconds * rate).rounded())
      for (index, sample) in sound.enumerated() { result[delay + index] += size * sample }
    }
    return result
  }
}
