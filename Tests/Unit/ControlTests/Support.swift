import Foundation
import Glibc
import Host
import JSON
import Patience
import Words

@testable import Control

/// A folder that goes with the object.
final class TemporaryFolder {
  let path: String

  init() {
    path = FileManager.default.temporaryDirectory.appending(path: "jackstay-\(UUID().uuidString)").path
    mkdir(path, 0o700)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// Where bridges have their sockets: nothing else of the machine is looked into.
  var control: ControlPlaces {
    ControlPlaces(
      environment: ["XDG_RUNTIME_DIR": path], runtime: "\(path)/none", shared: [OwnFolder("\(path)/shared")])
  }

  /// The first of them.
  var folder: ControlFolder { ControlFolder("\(path)/jackstay") }
}

/// A server with the test's answers, that ends with the object.
final class Host {
  let folder: TemporaryFolder
  let server: ControlServer
  let socket: ControlSocket
  private let work: Task<Void, Never>

  convenience init(_ answer: @escaping @Sendable (String) async -> ControlAnswer) throws {
    let folder = TemporaryFolder()
    try self.init(name: "host", in: folder.control, folder, answer)
  }

  init(
    name: String, in places: ControlPlaces, _ folder: TemporaryFolder = TemporaryFolder(),
    _ answer: @escaping @Sendable (String) async -> ControlAnswer
  ) throws {
    self.folder = folder
    socket = try ControlSocket(name: name, in: places)
    let server = try ControlServer(socket, program: "9.9")
    self.server = server
    work = Task(executorPreference: Apart()) { await server.run(answer) }
  }

  deinit { server.finish(within: .seconds(2)) }

  /// A client that connects, and sends any bytes.
  func guest() throws -> Guest { try Guest("\(folder.path)/jackstay/host.sock") }
}

/// The bare end of a connection, which waits for two seconds at most.
final class Guest {
  let descriptor: Int32
  private var lines = LineReader(longest: 1 << 20)
  private var waiting: [String] = []

  struct Refused: Error {}

  init(_ path: String) throws {
    descriptor = UnixSocket.make(isBlocking: true)
    UnixSocket.setTimeout(descriptor, seconds: 10)
    guard UnixSocket.connect(descriptor, to: path) == 0 else { throw Refused() }
  }

  deinit { close(descriptor) }

  /// Sends bytes; false when the other end is closed.
  @discardableResult func send(_ bytes: [UInt8]) -> Bool {
    var rest = bytes
    while !rest.isEmpty {
      let count = UnixSocket.send(descriptor, rest)
      guard count > 0 else { return false }
      rest.removeFirst(count)
    }
    return true
  }

  @discardableResult func send(_ text: String) -> Bool { send(Array(text.utf8)) }

  /// Ends the requests; answers are still read.
  func endSending() { shutdown(descriptor, Int32(SHUT_WR)) }

  /// The next line; nil at the end.
  func line() -> String? {
    var bytes = [UInt8](repeating: 0, count: 65536)
    while waiting.isEmpty {
      let count = UnixSocket.receive(descriptor, into: &bytes)
      guard count > 0 else { return nil }
      waiting = lines.take(bytes[..<count]).map(\.text)
    }
    return waiting.removeFirst()
  }

  /// The next line as an object.
  func object() throws -> JSONObject { try JSONObject(parsing: (line() ?? "").utf8) }

  /// All lines to the end.
  func rest() -> [String] {
    var all: [String] = []
    while let line = line() { all.append(line) }
    return all
  }
}
