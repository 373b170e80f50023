/// A value of JACK's metadata.
public struct Property: Sendable, Hashable {
  /// The value as text.
  public let value: String
  /// The type of the value, a MIME type or a URI; `nil` for plain text.
  public let type: String?

  /// A property of the given value and type.
  public init(value: String, type: String? = nil) {
    self.value = value
    self.type = type
  }
}
