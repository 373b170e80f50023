import Foundation
import Glibc
import Testing

@testable import Control

@Suite struct ControlSocketTests {
  private let folder = TemporaryFolder()

  private func mode(_ name: String) -> mode_t? {
    var found = stat()
    return lstat(folder.folder.path(of: name), &found) == 0 ? found.st_mode & 0o777 : nil
  }

  @Test func `It is for its user alone, and leaves nothing`() throws {
    var socket: ControlSocket? = try ControlSocket(name: "a", in: folder.control)
    #expect(socket?.name == "a" && socket?.holder == nil)
    #expect(mode("a.sock") == 0o600 && mode("a.lock") == 0o600)
    socket?.remove()
    socket?.remove()
    #expect(mode("a.sock") == nil && mode("a.lock") == nil)
    let next = try ControlSocket(name: "a", in: folder.control)
    // The first one's is gone already; this is not to go with it.
    socket = nil
    #expect(mode("a.sock") == 0o600)
    next.remove()
  }

  @Test func `A name that is taken is left to its bridge, and another one is chosen`() throws {
    let sockets = try (0..<9).map { _ in try ControlSocket(name: "a", in: folder.control) }
    #expect(sockets.map(\.name) == ["a"] + (2...9).map { "a-\($0)" })
    #expect(sockets.dropFirst().allSatisfy { $0.holder == getpid() })
    #expect {
      try ControlSocket(name: "a", in: folder.control)
    } throws: { error in "\(error)" == "9 bridges are called \"a\" already; choose another --name" }
    #expect(try ControlSocket(name: "b", in: folder.control).name == "b")
    sockets[3].remove()
    #expect(try ControlSocket(name: "a", in: folder.control).name == "a-4")
  }

  @Test func `The socket of a bridge that was killed is replaced`() throws {
    try folder.folder.make()
    let path = folder.folder.path(of: "a.sock")
    let left = UnixSocket.make(isBlocking: false)
    #expect(UnixSocket.bind(left, to: path) == 0)
    close(left)
    _ = FileManager.default.createFile(atPath: folder.folder.path(of: "a.lock"), contents: Data("1\n".utf8))
    chmod(path, 0o777)
    let socket = try ControlSocket(name: "a", in: folder.control)
    #expect(socket.name == "a" && mode("a.sock") == 0o600)
    #expect(throws: Never.self) { try Guest(path) }
  }

  @Test func `A path that no socket can have is reported`() throws {
    let name = String(repeating: "x", count: 120)
    #expect {
      try ControlSocket(name: name, in: folder.control)
    } throws: { error in "\(error)".contains("is too long for a socket; choose a shorter --name") }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.folder.path) == [])
  }

  @Test(arguments: ["1e300", "2", "1.5", "null"])
  func `Another protocol is reported in one line, whatever number it has`(version: String) throws {
    let socket = try ControlSocket(name: "a", in: folder.control)
    let descriptor = socket.descriptor
    Thread.detachNewThread {
      var connection: Int32 = -1
      while connection < 0 {
        connection = UnixSocket.accept(descriptor)
        if connection < 0 { usleep(1000) }
      }
      _ = UnixSocket.send(connection, Array("{\"jackstay\":\"9\",\"protocol\":\(version)}\n".utf8))
      close(connection)
    }
    #expect {
      try ControlClient(name: "a", in: folder.control)
    } throws: { error in "\(error)".hasPrefix("the bridge \"a\" speaks another language (protocol ") }
  }
}
