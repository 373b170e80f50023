import JSON
import Settings

/// One line that somebody has sent to a running bridge.
struct ControlRequest: Sendable, Equatable {
  /// The longest line that is read, in bytes.
  static let longest = 4096
  /// How many letters a question's own name may have.
  private static let longestID = 64

  /// What the sender calls it, to know the answer by.
  let id: JSONValue?
  /// What is to be done, in the words of standard input.
  let command: String

  /// Why a line is no request, and what the sender calls it nevertheless.
  struct Fault: Error, Equatable {
    var id: JSONValue?
    let description: String
  }

  /// Reads a line; `nil` for an empty one.
  init?(_ line: LineReader.Line) throws(Fault) {
    guard !line.isTooLong else {
      throw Fault(description: "the line is longer than \(ControlRequest.longest) bytes; send shorter ones")
    }
    guard !line.bytes.allSatisfy({ $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\r") }) else { return nil }
    let object: JSONObject
    do throws(JSONFault) {
      object = try JSONObject(parsing: line.bytes)
    } catch {
      throw Fault(description: "the line is no flat JSON object: \(error)")
    }
    id = try ControlRequest.id(of: object)
    guard let command = object["command"]?.string else {
      throw Fault(id: id, description: "no \"command\"; expected a text, as in {\"command\":\"start\"}")
    }
    self.command = command
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
