import Foundation

/// One line of Swift Testing's event stream, version 0: the members that show how a run went.
///
/// The format is described in Swift Testing's `Documentation/ABI/JSON.md`.
struct EventRecord: Decodable {
  struct Payload: Decodable {
    /// "function" or "suite" for a test, "testStarted", "issueRecorded", "testEnded" or "runEnded" for an
    /// event.
    let kind: String
    /// A test's identifier.
    let id: String?
    /// The identifier of the test that an event is of.
    let testID: String?
    let issue: Issue?
    let messages: [Message]?
  }

  struct Issue: Decodable {
    let isKnown: Bool?
    let sourceLocation: SourceLocation?
  }

  struct SourceLocation: Decodable {
    let fileID: String
    let line: Int
  }

  struct Message: Decodable {
    /// "pass", "fail", "difference", "details" and others.
    let symbol: String
    let text: String
  }

  /// "test" for the description of one, "event" for something that happened.
  let kind: String
  let payload: Payload
}
