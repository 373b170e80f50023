/// A flat JSON object: names with values that are neither lists nor objects, in the order in which they were
/// given.
///
/// One fits into a line, which is all that two programs need to talk to each other. Thread-safe.
public struct JSONObject: Sendable, Hashable {
  /// A name and its value.
  public struct Member: Sendable, Hashable {
    /// The name.
    public let name: String
    /// The value.
    public let value: JSONValue
  }

  /// All of it, in order; no name is there twice.
  public private(set) var members: [Member] = []

  /// An object without members.
  public init() {}

  /// The value called `name`; setting `nil` takes it away, and a new one is the last.
  public subscript(name: String) -> JSONValue? {
    // A search is not worth a copy of itself wherever a member is read.
    @inline(never) get { members.first { $0.name == name }?.value }
    @inline(never) set {
      let index = members.firstIndex { $0.name == name }
      switch (index, newValue) {
      case (let index?, let value?): members[index] = Member(name: name, value: value)
      case (let index?, nil): members.remove(at: index)
      case (nil, let value?): members.append(Member(name: name, value: value))
      case (nil, nil): break
      }
    }
  }

  /// The object as one line of JSON, without what ends a line.
  public var line: String {
    "{" + members.map { "\($0.name.quoted):\($0.value.text)" }.joined(separator: ",") + "}"
  }

  /// The object with the members of another after its own; where both have a name, the other's value.
  public func adding(_ other: JSONObject) -> JSONObject {
    var object = self
    for member in other.members { object[member.name] = member.value }
    return object
  }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
  /// The members in the order in which they are written; of a name that is there twice the last counts.
  public init(dictionaryLiteral elements: (String, JSONValue)...) {
    for (name, value) in elements { self[name] = value }
  }
}
