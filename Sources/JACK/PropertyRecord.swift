/// The metadata that a client has stored.
struct PropertyRecord: Sendable {
  /// The client's number in the metadata; `nil` as long as it has not been asked for.
  private(set) var subject: UInt64?
  /// The names of its properties.
  var keys: Set<String> = []

  /// The number of `client` in the metadata: asked for once.
  mutating func subject(_ client: OpaquePointer) throws(JACKError) -> UInt64 {
    if let subject { return subject }
    let found = try LibJACK.uuid(of: client)
    subject = found
    return found
  }
}
