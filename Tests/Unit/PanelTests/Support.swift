import Control
import Host
import Patience
import Web

@testable import Panel

/// A server with the test's answers, that ends with the object.
final class PanelHost {
  let server: PanelServer
  private let work: Task<Void, Never>

  convenience init(
    token: PanelToken? = nil, requestTime: Duration = .seconds(10),
    _ answer: @escaping @Sendable (String) async -> ControlAnswer
  ) throws {
    self.init(try PanelServer(token: token, requestTime: requestTime), answer)
  }

  init(_ server: PanelServer, _ answer: @escaping @Sendable (String) async -> ControlAnswer) {
    self.server = server
    work = Task(executorPreference: Apart()) { await server.run(answer) }
  }

  deinit { server.finish(within: .seconds(5)) }

  /// A client that is connected, as if from that address.
  func guest(from peer: SocketAddress? = nil) throws -> WebGuest {
    let (guest, other) = try WebGuest.pair()
    server.take(other, from: peer)
    return guest
  }

  /// The answer to a request, to its end.
  func answer(_ request: String, from peer: SocketAddress? = nil) throws -> WebGuest.Answer {
    let guest = try guest(from: peer)
    guest.send(request)
    return guest.answer()
  }
}
