import Foundation
import Glibc
import Host
import Testing

@testable import Control

@Suite struct ControlFolderTests {
  @Test func `It is made for its user alone, and closed to others where it was open`() throws {
    let temporary = TemporaryFolder()
    let folder = temporary.folder
    #expect(try !folder.exists())
    #expect(try folder.socketNames() == [])
    for mode in [0o700, 0o777, 0o755] as [mode_t] {
      try folder.make()
      chmod(folder.path, mode)
      try folder.make()
      var found = stat()
      #expect(lstat(folder.path, &found) == 0 && found.st_mode & 0o777 == 0o700)
    }
  }

  @Test func `A path that is no folder of the user's own is rejected in one line`() throws {
    let temporary = TemporaryFolder()
    let folder = temporary.folder
    try #require(symlink("/tmp", folder.path) == 0)
    #expect(throws: ControlError.self) { try folder.make() }
    unlink(folder.path)
    _ = FileManager.default.createFile(atPath: folder.path, contents: nil)
    #expect {
      try folder.make()
    } throws: { error in
      "\(error)"
        == "\(folder.path) cannot be opened: Not a directory; it has to be a folder of yours: remove what is there"
    }
    #expect {
      try ControlFolder("\(temporary.path)/no/where").make()
    } throws: { error in
      "\(error)".hasSuffix("No such file or directory; set XDG_RUNTIME_DIR to a folder of yours that exists")
    }
    guard getuid() == 0 else { return }
    unlink(folder.path)
    try folder.make()
    chown(folder.path, 1, 1)
    #expect {
      try folder.make()
    } throws: { error in "\(error)".contains("belongs to another user (uid 1)") }
    // A bridge goes on to the next folder; a command reports why it may have found none.
    #expect(throws: ControlError.self) { try ControlClient(name: nil, in: temporary.control) }
    let socket = try ControlSocket(name: "a", in: temporary.control)
    #expect(access("\(temporary.path)/shared/a.sock", F_OK) == 0)
    #expect(throws: Never.self) { try Guest("\(temporary.path)/shared/\(socket.name).sock") }
  }

  @Test func `Where other users can put a socket, no client connects`() throws {
    let temporary = TemporaryFolder()
    let folder = temporary.folder
    try folder.make()
    for mode: mode_t in [0o777, 0o720, 0o702] {
      #expect(chmod(folder.path, mode) == 0)
      #expect {
        try folder.socketNames()
      } throws: { error in "\(error)".contains("other users can write to \(folder.path)") }
    }
    // A bridge that begins there makes it its own again.
    try folder.make()
    #expect(try folder.socketNames() == [])
  }

  @Test func `Sockets are known by their ending`() throws {
    let temporary = TemporaryFolder()
    let folder = temporary.folder
    try folder.make()
    for name in ["b.sock", "a.sock", "a.lock", ".sock", "Link 2.sock"] {
      _ = FileManager.default.createFile(atPath: folder.path(of: name), contents: nil)
    }
    #expect(try folder.socketNames() == ["", "Link 2", "a", "b"])
    #expect {
      try ControlClient(name: nil, in: temporary.control)
    } throws: { error in "\(error)" == "no bridge runs; start one with: jackstay" }
  }
}
