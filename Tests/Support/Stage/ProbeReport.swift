import Foundation

/// One line of the probe: an object of numbers and words.
public struct ProbeReport: Sendable, Equatable {
  /// The line as it came.
  public let text: String

  private enum Field: Decodable, Sendable, Equatable {
    case number(Double)
    case word(String)
    case none

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if container.decodeNil() {
        self = .none
      } else if let number = try? container.decode(Double.self) {
        self = .number(number)
      } else {
        self = .word(try container.decode(String.self))
      }
    }
  }
  private let fields: [String: Field]

  /// Reads a line; nil when it is no report.
  public init?(_ line: String) {
    guard let fields = try? JSONDecoder().decode([String: Field].self, from: Data(line.utf8)) else {
      return nil
    }
    text = line
    self.fields = fields
  }

  /// A number; nil when there is none of that name or it is not finite.
  public subscript(key: String) -> Double? {
    guard case .number(let number) = fields[key] else { return nil }
    return number
  }

  /// A word; nil when there is none of that name.
  public func word(_ key: String) -> String? {
    guard case .word(let word) = fields[key] else { return nil }
    return word
  }

  /// Whether an owner that counts frames is further from Link than is steered, ten milliseconds, and JACK's
  /// times have strayed from its frames at least once since the probe began: then it has lost some, and with
  /// other peers in the session the beat is not moved for that.
  public var isOfOwnerWithLosses: Bool {
    guard self["strays"] ?? 0 > 0 else { return false }
    return abs(certain("err_out_med") ?? self["heard_med"] ?? 0) > 9_000
  }

  /// Whether JACK missed no deadline during the report's events.
  ///
  /// A missed one moves frames against time, and with them much of the measurement, and is the machine's
  /// fault.
  public var isUndisturbed: Bool { self["xruns"] == 0 && self["late"] == 0 }

  /// How many deadlines JACK missed meanwhile, as it reports later and as its cycles show.
  public var missedDeadlines: Double {
    ["xruns", "late", "skipped_cycles"].compactMap { self[$0] }.max() ?? 0
  }

  /// How far off something is for certain: an error at output, "err_out", "frame_err_out" or one of their
  /// middles, or one at the start of the cycle, "err"; or how far a launch is from its quantum, "to_quantum_out",
  /// which is as much the other way, or from Link's start time, "play_time_us".
  ///
  /// JACK's own times are wrong for seconds after a missed deadline, and with them all values that depend on
  /// them. Where they have kept to their frames for long, and wake-ups bear them out, the field is as it is:
  /// the first of some is up to a tenth of a millisecond late. Where not, it is the value by wake-ups,
  /// and an error of as much does not count. Nor does one to the other side, where they have just strayed: a
  /// tenth of a millisecond is promised then. Where the middle wake-up is later than that, they bear nothing out:
  /// a bridge, too, may take JACK's times for early ones then, and wake-ups give the smaller error.
  ///
  /// JACK's times are the mean of its server's wake-ups. Where those vary, the first of some is before JACK's times,
  /// and the middle one is not: then either may be when the sound card's period began, and the field is the smaller
  /// error of the two.
  ///
  /// - Parameters:
  ///   - key: The field.
  ///   - expected: The value that is right, of which the error is counted, in microseconds.
  /// - Returns: The error in microseconds; nil when there is none of that name, or none by wake-ups beside
  ///   it.
  public func certain(_ key: String, from expected: Double = 0) -> Double? {
    if let sign = ProbeReport.signs[key] {
      guard let theirs = self["err_out"], let certain = certain("err_out") else { return nil }
      return self[key].map { $0 + sign * (certain - theirs) - expected }
    }
    let isMiddle = key.hasSuffix("_med")
    guard let error = self[key], let theirs = self[isMiddle ? "err_out_med" : "err_out"],
      let heard = self[isMiddle ? "heard_med" : "heard_err"]
    else { return nil }
    // A wake-up that is late makes a beat seem late, and is some microseconds late at best.
    let gap = theirs - heard
    let isBorneOut =
      gap >= -5 && gap <= ProbeReport.lateness && self["woken_med"] ?? 0 <= ProbeReport.lateness
    let isSettled = hasKeptTimes(for: 0)
    if isBorneOut, isSettled { return error - expected }
    let least = error - expected - gap
    if gap < -5, isSettled, self["woken_med"] ?? gap >= -5 {
      return max(0, error - expected) + min(0, least)
    }
    return least > 0
      ? max(0, least - (isSettled ? 0 : ProbeReport.promised)) : min(0, least + ProbeReport.lateness)
  }

  /// Whether JACK's times have kept to its frames for some seconds, and for as long before that as they need
  /// to be its own again after they have strayed. A report without the field means that they have.
  public func hasKeptTimes(for seconds: Double) -> Bool {
    self["strayed_ms"] ?? .infinity > seconds * 1000 + ProbeReport.settling
  }

  /// The fields that go by JACK's times without being an error, and how each moves with one at output.
  private static let signs = ["to_quantum_out": -1.0, "play_time_us": 1]
  /// How late wake-ups are, in microseconds, where nothing keeps them.
  private static let lateness = 100.0
  /// The promised error, in microseconds, from half a second after a missed deadline on.
  private static let promised = 100.0
  /// How long JACK's times need to be its own again after they have strayed, in milliseconds.
  private static let settling = 3000.0

  /// Whether there is a field of that name.
  public func has(_ key: String) -> Bool { fields[key] != nil }
}

extension ProbeReport: CustomStringConvertible {
  /// The line as it came.
  public var description: String { text }
}
