import Foundation
import Glibc
import Host
import JSON
import Patience
import Testing

@testable import Control

/// Where bridges and commands meet, when runtime folders come and go.
@Suite(.serialized) struct ControlPlacesTests {
  private let temporary = TemporaryFolder()
  private var runtime: String { "\(temporary.path)/user" }
  private var own: String { "\(temporary.path)/own" }
  private var shared: String { "\(temporary.path)/shared" }

  private func places(_ environment: [String: String] = [:]) -> ControlPlaces {
    ControlPlaces(environment: environment, runtime: runtime, shared: [OwnFolder(shared)])
  }

  private func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

  @Test
  func `Runtime folders come first, where they are the user's own, and then folders that are always there`()
    throws
  {
    for folder in [runtime, own] { mkdir(folder, 0o700) }
    let all = ["\(own)/jackstay", "\(runtime)/jackstay", shared]
    #expect(places(["XDG_RUNTIME_DIR": own]).folders.map(\.path) == all)
    #expect(places(["XDG_RUNTIME_DIR": runtime]).folders.map(\.path) == Array(all.dropFirst()))
    for environment in [[:], ["XDG_RUNTIME_DIR": ""], ["XDG_RUNTIME_DIR": "here"]] {
      #expect(places(environment).folders.map(\.path) == Array(all.dropFirst()))
    }
    rmdir(runtime)
    #expect(places(["XDG_RUNTIME_DIR": "\(own)/missing"]).folders.map(\.path) == [shared])
    guard getuid() == 0 else { return }
    chown(own, 1, 1)
    #expect(places(["XDG_RUNTIME_DIR": own]).folders.map(\.path) == [shared])
    let socket = try ControlSocket(name: "a", in: places(["XDG_RUNTIME_DIR": own]))
    #expect(!exists("\(own)/jackstay") && exists("\(shared)/a.sock"))
    socket.remove()
  }

  @Test func `A bridge that was started without a runtime folder is found with any, and moves into it`()
    throws
  {
    let host = try Host(name: "a", in: places()) { _ in .taken }
    #expect(exists("\(shared)/a.sock"))
    for folder in [runtime, own] { mkdir(folder, 0o700) }
    for environment in [[:], ["XDG_RUNTIME_DIR": own], ["XDG_RUNTIME_DIR": runtime]] {
      #expect(try ControlClient(name: nil, in: places(environment)).name == "a")
    }
    #expect(eventually { exists("\(runtime)/jackstay/a.sock") && !exists("\(shared)/a.sock") })
    #expect(try ControlClient(name: "a", in: places()).ask("x") == ["answer": "taken"])
    host.server.finish(within: .seconds(2))
    #expect(!exists("\(runtime)/jackstay/a.sock") && !exists("\(runtime)/jackstay/a.lock"))
  }

  @Test func `A client that connects as a socket moves is taken in where it has connected`() throws {
    let socket = try ControlSocket(name: "a", in: places())
    let guest = try Guest("\(shared)/a.sock")
    mkdir(runtime, 0o700)
    var taken: [Int32] = []
    socket.renew { listener in
      while case let connection = UnixSocket.accept(listener), connection >= 0 { taken.append(connection) }
    }
    #expect(taken.count == 1)
    for connection in taken {
      _ = UnixSocket.send(connection, Array("{}\n".utf8))
      close(connection)
    }
    #expect(guest.line() == "{}")
    #expect(exists("\(runtime)/jackstay/a.sock") && !exists("\(shared)/a.sock"))
    socket.remove()
  }

  @Test func `A bridge whose runtime folder is removed and made again is found meanwhile and afterwards`()
    throws
  {
    mkdir(runtime, 0o700)
    let host = try Host(name: "a", in: places()) { _ in .taken }
    let before = try ControlClient(name: nil, in: places())
    let remaining = FileManager.default
    try remaining.removeItem(atPath: runtime)
    #expect(eventually { (try? ControlClient(name: nil, in: places()).name) == "a" })
    #expect(exists("\(shared)/a.sock"))
    mkdir(runtime, 0o700)
    #expect(eventually { exists("\(runtime)/jackstay/a.sock") })
    #expect(try ControlClient(name: nil, in: places()).ask("x") == ["answer": "taken"])
    #expect(try before.ask("x") == ["answer": "taken"])
    // A socket that is removed alone is made anew as well.
    unlink("\(runtime)/jackstay/a.sock")
    #expect(eventually { exists("\(runtime)/jackstay/a.sock") })
    #expect(try ControlClient(name: nil, in: places()).ask("x") == ["answer": "taken"])
    host.server.finish(within: .seconds(2))
  }

  @Test func `A bridge that ends leaves the socket of the next one at its path`() throws {
    mkdir(runtime, 0o700)
    let first = try ControlSocket(name: "a", in: places())
    try FileManager.default.removeItem(atPath: runtime)
    mkdir(runtime, 0o700)
    let second = try ControlSocket(name: "a", in: places())
    #expect(second.name == "a")
    first.remove()
    #expect(exists("\(runtime)/jackstay/a.sock") && exists("\(runtime)/jackstay/a.lock"))
    #expect(try ControlSocket(name: "a", in: places()).name == "a-2")
  }

  @Test func `Two bridges of one name in two folders get two names`() throws {
    let first = try Host(name: "a", in: places()) { _ in .taken }
    mkdir(own, 0o700)
    let second = try Host(name: "a", in: places(["XDG_RUNTIME_DIR": own])) { _ in .taken }
    #expect(first.server.name == "a" && second.server.name == "a-2")
  }

  @Test func `A bridge that stands by is passed over, unless all do or it is named`() throws {
    func host(_ name: String, _ state: String) throws -> Host {
      try Host(name: name, in: places()) { _ in .status(["state": .string(state)]) }
    }
    let standby = try host("a", "standing_by")
    #expect(try ControlClient(name: nil, in: places()).name == "a")
    let other = try host("b", "standing_by")
    #expect {
      try ControlClient(name: nil, in: places())
    } throws: { error in "\(error)" == "2 bridges run: a, b; choose one with --name" }
    let working = try host("c", "bridging")
    #expect(try ControlClient(name: nil, in: places()).name == "c")
    #expect(try ControlClient(name: "b", in: places()).name == "b")
    let waiting = try host("d", "waiting")
    #expect {
      try ControlClient(name: nil, in: places())
    } throws: { error in "\(error)" == "2 bridges run: c, d; choose one with --name" }
    withExtendedLifetime((standby, other, working, waiting)) {}
  }
}
