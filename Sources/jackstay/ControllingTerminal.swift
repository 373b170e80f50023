import Glibc

/// The terminal that the program was started from, if there is one.
///
/// It gives a hang-up its meaning: where the terminal has gone, the program is to go, too; else a user asks
/// it to read its configuration again.
struct ControllingTerminal: Sendable {
  /// How long after a hang-up the terminal may still be there: who leads a session sends it before going.
  private static let grace: UInt32 = 50_000

  private let wasThere = ControllingTerminal.isThere

  /// Whether it was there when the program began, and is not any more. Waits a moment to find out.
  func hasGone() -> Bool {
    guard wasThere, Self.isThere else { return wasThere }
    usleep(Self.grace)
    return !Self.isThere
  }

  /// The corresponding C function is `open`.
  private static var isThere: Bool {
    let descriptor = open("/dev/tty", O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    close(descriptor)
    return true
  }
}
