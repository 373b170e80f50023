import Foundation
import Glibc
import Host
import Testing

@testable import Bridge
@testable import JACK

@Suite struct ServerClaimTests {
  private let folder = OwnFolder("/tmp/claims-\(getpid())-\(UInt32.random(in: .min ... .max))")
  private let server = ServerAddress("/dev/shm/jack_a%2F_0_0")
  private var path: String { FileClaim(on: server.description, kind: "server", in: [folder])?.path ?? "" }

  private func claim() -> ServerClaim { ServerClaim(in: [folder]) }
  private func end() { try? FileManager.default.removeItem(atPath: folder.path) }

  @Test
  func `One bridge has it at a time, and is named; when it is given up another has it, and nothing is left`()
  {
    defer { end() }
    let (first, second) = (claim(), claim())
    #expect(first.take(server))
    #expect(first.take(server))
    #expect(!second.take(server))
    #expect(second.holder == getpid())
    second.release()
    #expect(!second.takeAgain())
    first.release()
    #expect(second.takeAgain())
    #expect(!first.take(server))
    second.release()
    #expect(access(path, F_OK) != 0)
  }

  @Test func `Another server is another claim, and taking it gives the first up`() {
    defer { end() }
    let (first, second) = (claim(), claim())
    let other = ServerAddress("/dev/shm/jack_a/_0_0")
    #expect(first.take(server))
    #expect(second.take(other))
    #expect(!second.take(server))
    #expect(first.take(other))
    #expect(second.takeAgain())
  }

  @Test func `It goes with the object that has it`() {
    defer { end() }
    var first: ServerClaim? = claim()
    #expect(first?.take(server) == true)
    let second = claim()
    #expect(!second.take(server))
    first = nil
    #expect(second.takeAgain())
  }

  @Test(arguments: ["", "1\n", "nonsense that is longer than any process's number"])
  func `A file that was left behind claims nothing`(text: String) throws {
    defer { end() }
    try folder.make()
    let file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    #expect(write(file, text, text.utf8.count) == text.utf8.count)
    close(file)
    let claim = claim()
    #expect(claim.take(server))
    #expect(claim.holder == getpid())
  }

  @Test func `A claim whose file was removed is made anew, and a file in its place is left to its owner`()
    throws
  {
    defer { end() }
    let (first, second) = (claim(), claim())
    #expect(first.take(server))
    end()
    #expect(first.takeAgain())
    #expect(!second.take(server))
    end()
    #expect(second.takeAgain())
    first.release()
    #expect(access(path, F_OK) == 0)
    #expect(!first.takeAgain())
  }

  @Test func `A folder that is another user's, or none, is passed over by all programs alike`() throws {
    defer { end() }
    let link = OwnFolder(folder.path + "-link")
    try #require(symlink("/tmp", link.path) == 0)
    defer { unlink(link.path) }
    var folders = [link, folder]
    let squatted = OwnFolder(folder.path + "-squatted")
    if getuid() == 0 {
      try squatted.make()
      chown(squatted.path, 1, 1)
      folders.insert(squatted, at: 0)
    }
    defer { try? FileManager.default.removeItem(atPath: squatted.path) }
    let (first, second) = (ServerClaim(in: folders), ServerClaim(in: folders))
    #expect(first.take(server))
    #expect(!second.take(server))
    #expect(access(path, F_OK) == 0)
  }

  @Test func `Many that come and go never have it together`() async {
    defer { end() }
    let holders = Holders()
    let (folder, server) = (folder, server)
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<4 {
        group.addTask {
          for _ in 0..<500 {
            let claim = ServerClaim(in: [folder])
            guard claim.take(server) else { continue }
            await holders.come()
            await holders.go()
            claim.release()
          }
        }
      }
    }
    #expect(await holders.most == 1)
    #expect(await holders.turns > 1)
  }

  @Test func `A server is known by its own socket among those of other programs`() {
    let connections = [
      "/run/dbus/system_bus_socket", "/run/user/1000/bus", "/somewhere", "/run/user/1000/pipewire-0-manager",
    ].enumerated().map { UnixConnection(descriptor: Int32($0), inode: UInt64($0), path: $1) }
    #expect(ServerAddress(among: connections)?.description == "/run/user/1000/pipewire-0")
    #expect(ServerAddress(among: Array(connections.prefix(3)))?.description == "/somewhere")
    #expect(ServerAddress(among: Array(connections.prefix(2))) == nil)
  }
}

/// Counts the claims that are held.
private actor Holders {
  private var count = 0
  private(set) var most = 0
  private(set) var turns = 0

  func come() {
    count += 1
    turns += 1
    most = max(most, count)
  }

  func go() { count -= 1 }
}
