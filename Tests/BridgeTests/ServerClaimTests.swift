import Glibc
import Host
import Testing

@testable import Bridge

@Suite struct ServerClaimTests {
  private let server = "claim-\(getpid())-\(UInt32.random(in: .min ... .max))"
  private var path: String { "/dev/shm/jackstay_\(server)_\(getuid())" }

  @Test func `One has it at a time, and says who; when it is given up another has it, and nothing is left`() {
    let (first, second) = (FileClaim(server: server), FileClaim(server: server))
    #expect(first.take())
    #expect(first.take())
    #expect(!second.take())
    #expect(second.holder == getpid())
    second.release()
    #expect(!second.take())
    first.release()
    #expect(second.take())
    #expect(!first.take())
    second.release()
    #expect(access(path, F_OK) != 0)
  }

  @Test func `Another server is another claim`() {
    let (first, second) = (FileClaim(server: server), FileClaim(server: server + "/2"))
    #expect(first.take())
    #expect(second.take())
  }

  @Test func `It goes with who has it`() {
    var first: FileClaim? = FileClaim(server: server)
    #expect(first?.take() == true)
    let second = FileClaim(server: server)
    #expect(!second.take())
    first = nil
    #expect(second.take())
  }

  @Test(arguments: ["", "1\n", "nonsense that is longer than any process's number"])
  func `A file that was left behind claims nothing`(text: String) {
    let file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    #expect(write(file, text, text.utf8.count) == text.utf8.count)
    close(file)
    let claim = FileClaim(server: server)
    #expect(claim.take())
    #expect(claim.holder == getpid())
  }

  @Test func `What is no file of ours claims nothing, and is left alone`() {
    #expect(symlink("/dev/null", path) == 0)
    defer { unlink(path) }
    let claim = FileClaim(server: server)
    #expect(claim.take())
    #expect(claim.holder == nil)
    claim.release()
    var found = stat()
    #expect(lstat(path, &found) == 0 && found.st_mode & S_IFMT == S_IFLNK)
  }

  @Test func `Many that come and go never have it together`() async {
    let server = server
    let holders = Holders()
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<4 {
        group.addTask {
          for _ in 0..<500 {
            let claim = FileClaim(server: server)
            guard claim.take() else { continue }
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
}

/// Counts who has the claim.
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
