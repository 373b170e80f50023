import Host

/// Whether a program listens, and where.
public enum Listening: Sendable, Hashable {
  /// It does not.
  case off
  /// It does, there.
  case at(ListenAddress)
}

extension Listening: SettingValue {
  static var expectation: String {
    "off, a port from 1 to 65535, or an address and a port as 0.0.0.0:8090 or [::]:8090"
  }
  static var example: String { "\"0.0.0.0:8090\"" }
  static var words: [String] { ["off"] }

  init?(_ written: WrittenValue) {
    let text =
      switch written {
      case .argument(let text), .string(let text), .bare(let text): text
      }
    if written.text == "off" {
      self = .off
    } else {
      guard let address = ListenAddress(text) else { return nil }
      self = .at(address)
    }
  }

  var written: WrittenValue {
    switch self {
    case .off: .string("off")
    case .at(let address): .string(address.description)
    }
  }
}
