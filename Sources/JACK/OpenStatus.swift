/// JACK's status of an attempt to open a client.
///
/// The corresponding C type is `jack_status_t`.
public struct OpenStatus: OptionSet, Sendable, Hashable {
  /// The bits as JACK gave them.
  public let rawValue: UInt32

  /// A status of the given bits.
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// The operation failed.
  public static let failure = OpenStatus(rawValue: 0x01)
  /// An option was not valid.
  public static let invalidOption = OpenStatus(rawValue: 0x02)
  /// The name was taken: JACK chose another, or with ``Client/Options/useExactName`` gave up.
  public static let nameNotUnique = OpenStatus(rawValue: 0x04)
  /// The server was started by this call.
  public static let serverStarted = OpenStatus(rawValue: 0x08)
  /// No server could be reached.
  public static let serverFailed = OpenStatus(rawValue: 0x10)
  /// Talking to the server failed.
  public static let serverError = OpenStatus(rawValue: 0x20)
  /// The client could not be set up.
  public static let initFailure = OpenStatus(rawValue: 0x100)
  /// Shared memory could not be used.
  public static let sharedMemoryFailure = OpenStatus(rawValue: 0x200)
  /// Library and server speak different versions of JACK's protocol.
  public static let versionError = OpenStatus(rawValue: 0x400)
  /// The server's driver failed.
  public static let backendError = OpenStatus(rawValue: 0x800)
}

extension OpenStatus: CustomStringConvertible {
  /// The names of the bits that are set, or their number in hexadecimal.
  public var description: String {
    let names: [(OpenStatus, String)] = [
      (.invalidOption, "invalid option"), (.nameNotUnique, "name not unique"),
      (.serverStarted, "server started"), (.serverFailed, "no connection to the server"),
      (.serverError, "communication error"), (.initFailure, "client initialization failed"),
      (.sharedMemoryFailure, "no access to shared memory"), (.versionError, "protocol version mismatch"),
      (.backendError, "backend error"),
    ]
    let set = names.filter { contains($0.0) }.map(\.1)
    return set.isEmpty ? "status 0x" + String(rawValue, radix: 16) : set.joined(separator: ", ")
  }
}
