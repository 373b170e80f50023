import Foundation
import Glibc
import Testing

@testable import Control

@Suite struct ControlFolderTests {
  @Test(
    arguments: [
      (["XDG_RUNTIME_DIR": "/run/x"], true, "/run/x/jackstay"),
      ([:], true, "/run/user/7/jackstay"), ([:], false, "/tmp/jackstay-7"),
      (["XDG_RUNTIME_DIR": ""], false, "/tmp/jackstay-7"),
      (["XDG_RUNTIME_DIR": "here"], true, "/run/user/7/jackstay"),
    ] as [([String: String], Bool, String)])
  func `It is where the user's running programs keep such things`(
    environment: [String: String], hasRuntime: Bool, path: String
  ) {
    #expect(ControlFolder(environment: environment, user: 7) { _ in hasRuntime }.path == path)
  }

  @Test func `It is made for its user alone, and closed to others where it was open`() throws {
    let temporary = TemporaryFolder()
    let folder = temporary.control
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

  @Test func `What is no folder of the user's own is refused in one line`() throws {
    let temporary = TemporaryFolder()
    let folder = temporary.control
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
    #expect(throws: ControlError.self) {
      try ControlFolder(environment: ["XDG_RUNTIME_DIR": "\(temporary.path)/no/where"]).make()
    }
    guard getuid() == 0 else { return }
    unlink(folder.path)
    try folder.make()
    chown(folder.path, 1, 1)
    #expect {
      try folder.make()
    } throws: { error in "\(error)".contains("belongs to another user") }
    #expect(throws: ControlError.self) { try ControlClient(name: nil, in: folder) }
  }

  @Test func `Sockets are known by their ending`() throws {
    let folder = TemporaryFolder()
    try folder.control.make()
    for name in ["b.sock", "a.sock", "a.lock", ".sock", "Link 2.sock"] {
      _ = FileManager.default.createFile(atPath: folder.control.path(of: name), contents: nil)
    }
    #expect(try folder.control.socketNames() == ["", "Link 2", "a", "b"])
    #expect {
      try ControlClient(name: nil, in: folder.control)
    } throws: { error in "\(error)" == "no bridge runs; start one with: jackstay" }
  }
}
