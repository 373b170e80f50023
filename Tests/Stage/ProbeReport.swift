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

  /// Whether JACK missed no deadline while what is reported happened.
  ///
  /// A missed one moves frames against time, and with them much of what is measured, and is the machine's fault.
  public var isUndisturbed: Bool { self["xruns"] == 0 && self["late"] == 0 }

  /// Whether there is a field of that name.
  public func has(_ key: String) -> Bool { fields[key] != nil }
}

extension ProbeReport: CustomStringConvertible {
  /// The line as it came.
  public var description: String { text }
}
