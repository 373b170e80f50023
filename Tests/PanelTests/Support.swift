import Control
import Patience
import Web

@testable import Panel

/// A server that answers what the test says, and ends with the object.
final class Host {
  let server: PanelServer
  private let work: Task<Void, Never>

  init(token: PanelToken? = nil, _ answer: @escaping @Sendable (String) async -> ControlAnswer) throws {
    let server = try PanelServer(token: token, names: [])
    self.server = server
    work = Task(executorPreference: Apart()) { await server.run(answer) }
  }

  deinit { server.finish(within: .seconds(5)) }

  /// Somebody who is connected.
  func guest() throws -> WebGuest {
    let (guest, other) = try WebGuest.pair()
    server.take(other)
    return guest
  }

  /// What a request is answered by, to the end.
  func answer(_ request: String) throws -> WebGuest.Answer {
    let guest = try guest()
    guest.send(request)
    return guest.answer()
  }
}
