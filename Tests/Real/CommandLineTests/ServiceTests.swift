import Foundation
import Glibc
import Settings
import Stage
import Testing
import Typechecking

@testable import Host
@testable import jackstay

/// The program as a service manager runs it, where no JACK server is, and what is installed with it.
@Suite(.serialized, .alone) struct ServiceTests {
  private let folder: RuntimeFolder

  init() throws { folder = try RuntimeFolder() }

  private static let root = Typechecking.packageRoot.path

  private func environment(_ more: [String: String?] = [:]) -> [String: String?] {
    [
      "HOME": "/nowhere", "XDG_CONFIG_HOME": nil, "JACK_DEFAULT_SERVER": "jackstay-nobody",
      "JACK_NO_START_SERVER": "1", "XDG_RUNTIME_DIR": folder.path,
    ].merging(more) { $1 }
  }

  /// The datagrams that arrive at a socket like that of a service manager.
  private final class Manager {
    private let descriptor: Int32
    private var address = sockaddr_un()
    private let length: socklen_t

    /// Listens at a path, or at an abstract name after `@`.
    init(at path: String) throws {
      descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
      address.sun_family = sa_family_t(AF_UNIX)
      var name = Array(path.utf8)
      if name[0] == UInt8(ascii: "@") { name[0] = 0 }
      withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
      length = socklen_t(2 + name.count)
      let (descriptor, length) = (descriptor, length)
      let code = withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
      }
      try #require(code == 0)
      var time = timeval(tv_sec: 20, tv_usec: 0)
      setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close(descriptor) }

    /// Has as much wait to be read as can, and returns how many datagrams that are.
    func fill() -> Int {
      let sender = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
      defer { close(sender) }
      var count = 0
      let length = length
      while withUnsafePointer(
        to: &address,
        { pointer in
          pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            sendto(sender, "x", 1, Int32(MSG_DONTWAIT), $0, length) == 1
          }
        })
      { count += 1 }
      return count
    }

    /// The next one; nil when none comes.
    func next() -> String? {
      var bytes = [UInt8](repeating: 0, count: 4096)
      let count = recv(descriptor, &bytes, bytes.count, 0)
      return count < 0 ? nil : String(decoding: bytes[..<count], as: UTF8.self)
    }
  }

  @Test(arguments: [false, true])
  func `A service manager learns when the bridge is ready, how it is, and when it ends`(isAbstract: Bool)
    throws
  {
    let path = isAbstract ? "@jackstay-\(getpid())" : "\(folder.path)/notify"
    let manager = try Manager(at: path)
    let bridge = try Child(Products.path("jackstay"), environment: environment(["NOTIFY_SOCKET": path]))
    #expect(manager.next() == "READY=1")
    #expect(manager.next() == "STATUS=waits for a JACK server")
    bridge.signal(SIGTERM)
    #expect(manager.next() == "STOPPING=1")
    #expect(try bridge.wait().isSuccess)
  }

  @Test func `A service manager that has much to read learns that the bridge is ready when it has read it`()
    throws
  {
    let path = "\(folder.path)/notify"
    let manager = try Manager(at: path)
    let count = manager.fill()
    try #require(count > 0)
    let bridge = try Child(Products.path("jackstay"), environment: environment(["NOTIFY_SOCKET": path]))
    try bridge.awaitLine(in: .errors) { $0.contains("waiting for a JACK server") }
    usleep(200_000)
    for _ in 0..<count { #expect(manager.next() == "x") }
    #expect(manager.next() == "READY=1")
    #expect(manager.next() == "STATUS=waits for a JACK server")
    #expect(bridge.terminate().isSuccess)
  }

  @Test func `A manager that is not there, or a wrong name of one, causes no error`() throws {
    for path in ["\(folder.path)/nobody", "relative", "", "@", "/\(String(repeating: "x", count: 200))"] {
      let bridge = try Child(
        Products.path("jackstay"), ["--no-wait"], environment: environment(["NOTIFY_SOCKET": path]))
      #expect(try bridge.wait() == .exited(1))
      #expect(bridge.lines(of: .errors).count == 1)
    }
    #expect(ServiceManager.State.status("a\nREADY=1").message == "STATUS=a READY=1")
  }

  @Test func `Lines begin with their priority where the journal reads them, and nowhere else`() throws {
    let jackstay = Products.path("jackstay")
    for (stream, prefix) in [
      ("$(stat -L -c %d:%i /proc/self/fd/2)", "<3>jackstay: error: "), ("1:2", "jackstay: error: "),
    ] {
      let child = try Child(
        "bash", ["-c", "JOURNAL_STREAM=\(stream) exec '\(jackstay)' --no-wait"], environment: environment())
      #expect(try child.wait() == .exited(1))
      #expect(
        (stream == "1:2" ? child.text(of: .errors).withoutTime : child.text(of: .errors)).hasPrefix(prefix),
        "\(child.text(of: .errors))")
    }
  }

  @Test(.enabled(if: Sanitizer.current == nil, Sanitizer.bearsNoInterposer))
  func `Without the panel's library the bridge says that it is missing, and goes on`() throws {
    let names = ["libmicrohttpd", "libqrencode"]
    let linked = try Child("readelf", ["--dynamic", Products.path("jackstay")])
    #expect(try linked.wait().isSuccess)
    let needed = linked.lines().filter { $0.contains("NEEDED") }
    #expect(needed.contains { $0.contains("libjack") }, "\(needed)")
    #expect(!needed.contains { line in names.contains { line.contains($0) } }, "\(needed)")
    let bridge = try Child(
      Products.path("jackstay"), ["--panel", "127.0.0.1:8095"],
      environment: environment([
        "LD_PRELOAD": try Interposer.without(), "WITHOUT": names.joined(separator: " "),
      ]))
    try bridge.awaitLine(in: .errors) { $0.contains("waiting for a JACK server") }
    let lines = bridge.lines(of: .errors).filter { $0.contains("there is no panel") }
    #expect(lines.count == 1, "\(bridge.lines(of: .errors))")
    #expect(lines.allSatisfy { $0.contains("libmicrohttpd.so.12 is missing") }, "\(lines)")
    #expect(bridge.terminate().isSuccess)
  }

  @Test func `Installing builds nothing and needs no Swift, and without a build it says what to do`() throws {
    let environment = ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "MAKEFLAGS": nil]
    let plan = try Child("make", ["--dry-run", "-C", Self.root, "install"], environment: environment)
    #expect(try plan.wait().isSuccess, "\(plan.text(of: .errors))")
    #expect(plan.lines().contains { $0.contains("Scripts/install-files") })
    #expect(!plan.text().contains("swift"), "\(plan.text())")
    let install = try Child(
      "make", ["-C", Self.root, "install", "PROGRAM=\(folder.path)/nothing", "DESTDIR=\(folder.path)/root"],
      environment: environment)
    #expect(try install.wait() == .exited(2))
    #expect(install.text(of: .errors).contains("Run: make build"))
    #expect(!FileManager.default.fileExists(atPath: "\(folder.path)/root"))
  }

  @Test func `An installation is for all users, in any folder, and as a whole or not at all`() throws {
    let target = "\(folder.path)/other"
    let script = "\(Self.root)/Scripts/install-files"
    let program = "\(folder.path)/program"
    let text = "#!/bin/sh\n[ \"$2\" = \"$BAD\" ] && exit 1\necho \"#!/bin/sh\"; echo \"completion of $2\"\n"
    try text.write(toFile: program, atomically: true, encoding: .utf8)
    #expect(chmod(program, 0o755) == 0)
    let command = "umask 077; exec \"$0\" \"$1\" '/opt/a&b 100%' \"$2\""
    let install = try Child("sh", ["-c", command, script, target, program])
    #expect(try install.wait().isSuccess, "\(install.text(of: .errors))")
    for path in try FileManager.default.subpathsOfDirectory(atPath: target) {
      var found = stat()
      #expect(lstat("\(target)/\(path)", &found) == 0 && found.st_mode & 0o044 == 0o044, "\(path)")
      #expect(found.st_mode & S_IFMT != S_IFDIR || found.st_mode & 0o777 == 0o755, "\(path)")
    }
    let unit = try String(
      contentsOfFile: "\(target)/opt/a&b 100%/lib/systemd/user/jackstay.service", encoding: .utf8)
    #expect(unit.contains("\nExecStart=\"/opt/a&b 100%%/bin/jackstay\"\n"))
    #expect(unit.contains("\nRestartPreventExitStatus=2\n"))
    for shell in ["bash", "zsh", "fish"] {
      let other = "\(folder.path)/\(shell)"
      let failed = try Child(script, [other, "/usr", program], environment: ["BAD": shell])
      #expect(try failed.wait() == .exited(1))
      let files = try FileManager.default.subpathsOfDirectory(atPath: other)
      #expect(!files.contains { $0.hasSuffix(".new") })
      for file in files where file.contains("completions") {
        #expect(file.contains(shell) == false || !file.hasSuffix("jackstay"), "\(file)")
      }
    }
  }

  @Test func `Uninstalling leaves nothing behind`() throws {
    let target = "\(folder.path)/root"
    let script = "\(Self.root)/Scripts/install-files"
    let install = try Child(script, [target, "/usr", Products.path("jackstay")])
    #expect(try install.wait().isSuccess, "\(install.text(of: .errors))")
    let files = try FileManager.default.subpathsOfDirectory(atPath: target).filter { path in
      var isFolder: ObjCBool = false
      return FileManager.default.fileExists(atPath: "\(target)/\(path)", isDirectory: &isFolder)
        && !isFolder.boolValue
    }
    let guide = "usr/share/doc/jackstay/guide/"
    #expect(files.count { !$0.hasPrefix(guide) } == 10)
    #expect(files.contains("usr/lib/systemd/user/jackstay.service"))
    // Each link in the guide leads to a file.
    for file in files where file.hasPrefix(guide) && file.hasSuffix(".md") {
      let page = try String(contentsOfFile: "\(target)/\(file)", encoding: .utf8)
      for link in page.matches(of: #/\]\(([^):#]+)(?:#[^)]*)?\)/#)
      where !page[..<link.range.lowerBound].hasSuffix("`") {
        #expect(FileManager.default.fileExists(atPath: "\(target)/\(guide)\(link.1)"), "\(file): \(link.1)")
      }
    }
    #expect(files.contains(guide + "Troubleshooting.md") && files.contains(guide + "Resources/top.svg"))
    for file in files {
      #expect(try Data(contentsOf: URL(filePath: "\(target)/\(file)")).count > 100, "\(file)")
    }
    let help = try Child("\(target)/usr/bin/jackstay", ["--help"])
    #expect(try help.wait().isSuccess)
    #expect(help.lines().contains("The guide: \(target)/usr/share/doc/jackstay/guide"))
    for (file, word) in [
      ("bash-completion/completions/jackstay", "start-stop-sync"),
      ("zsh/vendor-completions/_jackstay", "doctor"),
      ("fish/vendor_completions.d/jackstay.fish", "frame-align"),
    ] {
      #expect(
        try String(contentsOfFile: "\(target)/usr/share/\(file)", encoding: .utf8).contains(word), "\(file)")
    }
    if let analyze = Child.locate("systemd-analyze") {
      // The program is where the unit would have it, in this test's own root.
      let unit = "\(target)/usr/lib/systemd/user/jackstay.service"
      let text = try String(contentsOfFile: unit, encoding: .utf8)
      #expect(text.contains("\nExecStart=/usr/bin/jackstay\n"))
      try text.replacing("/usr/bin/jackstay", with: "\(target)/usr/bin/jackstay").write(
        toFile: "\(folder.path)/jackstay.service", atomically: true, encoding: .utf8)
      let child = try Child(
        analyze, ["verify", "--user", "--man=no", "\(folder.path)/jackstay.service"],
        // Not in the folder, which may be in /dev/shm: systemd 257 refuses a home there.
        environment: ["XDG_RUNTIME_DIR": folder.path, "HOME": "/home"])
      #expect(try child.wait().isSuccess)
      #expect(child.text(of: .errors).isEmpty, "\(child.text(of: .errors))")
    }
    let remove = try Child(script, ["--remove", target, "/usr", "jackstay"])
    #expect(try remove.wait().isSuccess)
    #expect(!FileManager.default.fileExists(atPath: "\(target)/usr"))
    let relative = try Child(script, [target, "usr", "jackstay"])
    #expect(try relative.wait() == .exited(2))
    #expect(relative.lines(of: .errors).count == 1)
  }
}
