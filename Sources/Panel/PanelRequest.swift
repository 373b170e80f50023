/// A request of a browser, or of a program that claims to be one: the part before its body.
struct PanelRequest: Sendable, Hashable {
  /// A name and its value; a name may occur several times.
  struct Field: Sendable, Hashable {
    let name: String
    let value: String
  }

  /// The method as it was sent, which is case-sensitive.
  let method: String
  /// The address after the server, up to a question mark.
  let path: String
  /// The arguments after the question mark.
  let arguments: [Field]
  /// The header's.
  let headers: [Field]

  /// All of the header's values under a name, in upper or lower case.
  func header(_ name: String) -> [String] {
    headers.filter { $0.name.lowercased() == name }.map(\.value)
  }

  /// The value of an argument; `nil` where it is not there, or more than once.
  func argument(_ name: String) -> String? {
    let values = arguments.filter { $0.name == name }
    return values.count == 1 ? values[0].value : nil
  }
}
