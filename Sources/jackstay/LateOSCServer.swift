import Control
import Dispatch
import Host
import JSON
import OSC
import Settings
import Synchronization

/// A server of OSC at an address, as soon as that can be had: the network may come later than the bridge.
///
/// Thread-safe.
final class LateOSCServer: Surface {
  /// How often is tried to take the address.
  private static let retry = Duration.seconds(1)

  private let address: ListenAddress
  private let report: @Sendable (Result<ListenAddress, OSCError>) -> Void
  private let opened = Mutex<OSCServer?>(nil)

  /// Tries to take an address.
  ///
  /// - Parameters:
  ///   - address: The address.
  ///   - report: Gets the reason why it cannot be had yet, and is called when it is.
  init(at address: ListenAddress, report: @escaping @Sendable (Result<ListenAddress, OSCError>) -> Void) {
    self.address = address
    self.report = report
    do throws(OSCError) { _ = try open() } catch { report(.failure(error)) }
  }

  /// The server of OSC there; `nil` as long as there is none.
  var server: OSCServer? { opened.withLock { $0 } }

  /// The server of OSC there, once there is one; `nil` when the task is cancelled before.
  private func whenOpen() async -> OSCServer? {
    while !Task.isCancelled {
      if let server = try? open() { return server }
      try? await Task.sleep(for: Self.retry)
    }
    return nil
  }

  func run(_ answer: @escaping @Sendable (String) async -> ControlAnswer) async {
    await whenOpen()?.run(answer)
  }

  func publish(_ event: @autoclosure () -> JSONObject) { server?.publish(event()) }

  func finish(within timeout: DispatchTimeInterval) { server?.finish(within: timeout) }

  private func open() throws(OSCError) -> OSCServer {
    let (server, isNew) = try opened.withLock { opened throws(OSCError) in
      if let opened { return (opened, false) }
      let server = try OSCServer(OSCSocket(address), words: Instruction.vocabulary)
      opened = server
      return (server, true)
    }
    if isNew { report(.success(address)) }
    return server
  }
}
