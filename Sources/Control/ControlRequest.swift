import JSON
import Words

/// A request to a running bridge: a line at its socket, or a panel's in a browser.
public struct ControlRequest: Sendable, Equatable {
  /// The longest that is read, in bytes.
  public static let longest = 4096
  /// How many letters a question's own name may have.
  private static let longestID = 64

  /// The sender's name of the request, which the answer repeats.
  public let id: JSONValue?
  /// The command, as on standard input.
  public let command: String
  /// From when on it is not to be carried out any more, in microseconds of ``ControlProtocol/now``; `nil` for never.
  let end: Double?

  /// Why something is no request, and the sender's name of it.
  public struct Fault: Error, Equatable {
    /// The sender's name of the request.
    public var id: JSONValue?
    /// The reason, in one line.
    public let description: String
  }

  /// Reads a line; `nil` for an empty one.
  init?(_ line: LineReader.Line) throws(Fault) {
    guard !line.isTooLong else {
      throw Fault(description: "the line is longer than \(ControlRequest.longest) bytes; send shorter ones")
    }
    guard !line.bytes.allSatisfy({ $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\r") }) else { return nil }
    try self.init(line.bytes)
  }

  /// Reads an object, in no more than ``longest`` bytes.
  public init(_ bytes: [UInt8]) throws(Fault) {
    guard bytes.count <= ControlRequest.longest else {
      throw Fault(
        description: "the request is longer than \(ControlRequest.longest) bytes; send shorter ones")
    }
    let object: JSONObject
    do throws(JSONFault) {
      object = try JSONObject(parsing: bytes)
    } catch {
      throw Fault(description: "the line is no flat JSON object: \(error)")
    }
    id = try ControlRequest.id(of: object)
    guard let command = object["command"]?.string else {
      throw Fault(id: id, description: "no \"command\"; expected a text, as in {\"command\":\"start\"}")
    }
    self.command = command
    switch object["before_us"] {
    case nil: end = nil
    case .number(let time): end = time
    default:
      throw Fault(id: id, description: "\"before_us\" is no number; expected a time, as now_us in the status")
    }
  }

  /// Has it carried out, unless it has come too late: a user who gave a command to a bridge that hung does
  /// not expect it any more.
  ///
  /// - Parameter carryOut: Is given the command.
  /// - Returns: The answer.
  public func answer(by carryOut: (String) async -> ControlAnswer) async -> ControlAnswer {
    guard let end, ControlProtocol.now > end else { return await carryOut(command) }
    return .refused(
      "The bridge did not answer in time, and has not carried out \"\(command.echoed())\". Give it again.")
  }

  private static func id(of object: JSONObject) throws(Fault) -> JSONValue? {
    switch object["id"] {
    case nil: return nil
    case .number(let number): return .number(number)
    case .string(let text) where text.unicodeScalars.count <= longestID: return .string(text)
    default:
      throw Fault(description: "\"id\" is too long, or of another kind; expected a number, or a short text")
    }
  }
}
