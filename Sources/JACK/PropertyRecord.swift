/// What a client has stored of metadata.
struct PropertyRecord: Sendable {
  /// What JACK knows the client by there; `nil` as long as nobody has asked.
  private(set) var subject: UInt64?
  /// The names of its properties.
  var keys: Set<String> = []

  /// What JACK knows `client` by: asked for once.
  mutating func subject(_ client: OpaquePointer) throws(JACKError) -> UInt64 {
    if let subject { return subject }
    let found = try LibJACK.uuid(of: client)
    subject = found
    return found
  }
}
