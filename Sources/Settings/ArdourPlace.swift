import Host

/// Whether an Ardour is to have the session's tempo, and where it is looked for.
public enum ArdourPlace: Sendable, Hashable {
  /// On this machine, where JACK has a client of Ardour's.
  case automatic
  /// Ardour is left alone.
  case off
  /// There.
  case at(ListenAddress)
}

extension ArdourPlace: SettingValue {
  static var expectation: String {
    "auto, off, a port from 1 to 65535, or an address and a port as 192.168.1.5:3818"
  }
  static var example: String { "\"192.168.1.5:3818\"" }
  static var words: [String] { ["auto", "off"] }

  init?(_ written: WrittenValue) {
    guard written.text != "auto" else {
      self = .automatic
      return
    }
    switch Listening(written) {
    case .off: self = .off
    case .at(let address): self = .at(address)
    case nil: return nil
    }
  }

  var written: WrittenValue {
    switch self {
    case .automatic: .string("auto")
    case .off: .string("off")
    case .at(let address): .string(address.description)
    }
  }
}
