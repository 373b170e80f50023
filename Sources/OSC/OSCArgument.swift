/// What an OSC message carries after its address, of the types that are taken and sent here.
public enum OSCArgument: Sendable, Hashable {
  /// `i`, a whole number.
  case int32(Int32)
  /// `h`, a whole number of twice that length.
  case int64(Int64)
  /// `f`, a number.
  case float(Float)
  /// `d`, a number of twice that length.
  case double(Double)
  /// `s`, a text.
  case string(String)
  /// `T` or `F`.
  case bool(Bool)
  /// `N`, nothing. It is only sent.
  case null

  /// The types that are taken, by OSC's letters.
  static let taken = "ifdhTFs"
}
