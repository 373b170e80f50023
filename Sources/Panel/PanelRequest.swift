/// What a browser, or who says to be one, has asked: of a request what comes before its body.
struct PanelRequest: Sendable, Hashable {
  /// A name and what it has, of which there may be several.
  struct Field: Sendable, Hashable {
    let name: String
    let value: String
  }

  /// As it was sent: methods are told apart by case.
  let method: String
  /// What follows the server in the address, up to a question mark.
  let path: String
  /// What follows the question mark.
  let arguments: [Field]
  /// The header's.
  let headers: [Field]

  /// All that the header says under a name, whatever its case.
  func header(_ name: String) -> [String] {
    headers.filter { $0.name.lowercased() == name }.map(\.value)
  }

  /// What an argument is; `nil` where it is not there, or more than once.
  func argument(_ name: String) -> String? {
    let values = arguments.filter { $0.name == name }
    return values.count == 1 ? values[0].value : nil
  }
}
