import Foundation
import Stage
import Testing
import Typechecking

/// `Scripts/get-link4`, without a network, and what of `make` goes by it.
@Suite struct LinkSourceTests {
  private static let root = Typechecking.packageRoot.path
  private let folder: RuntimeFolder

  init() throws { folder = try RuntimeFolder() }

  private var target: String { "\(folder.path)/link4" }

  /// Has the script run with programs of the test before the system's.
  private func get(_ programs: [String: String]) throws -> Child {
    for (name, text) in programs {
      let path = "\(folder.path)/bin/\(name)"
      try FileManager.default.createDirectory(atPath: "\(folder.path)/bin", withIntermediateDirectories: true)
      try "#!/bin/sh\n\(text)\n".write(toFile: path, atomically: true, encoding: .utf8)
      #expect(chmod(path, 0o755) == 0)
    }
    let path = "\(folder.path)/bin:/usr/bin:/bin"
    return try Child("\(Self.root)/Scripts/get-link4", [target], environment: ["PATH": path])
  }

  private var files: [String] {
    get throws {
      try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasPrefix("link4") }
    }
  }

  private static let clones = """
    for last; do :; done
    mkdir -p $last/include/ableton $last/modules/asio-standalone/asio/include
    touch $last/include/ableton/LinkAudio.hpp $last/modules/asio-standalone/asio/include/asio.hpp
    """

  @Test func `The source of Link 4.0 is cloned once`() throws {
    let first = try get(["git": Self.clones, "python3": "exit 1"])
    #expect(try first.wait().isSuccess, "\(first.text(of: .errors))")
    #expect(first.text().contains("Link-4.0"))
    #expect(try files == ["link4"])
    let second = try get(["git": "exit 1"])
    #expect(try second.wait().isSuccess && second.text().isEmpty && second.text(of: .errors).isEmpty)
  }

  @Test func `A clone that is not Link 4.0, and a package that is another, leave nothing behind`() throws {
    let other = "for last; do :; done; mkdir -p $last; echo x > $last/x.tar.gz"
    let child = try get([
      "git": "echo fatal: no way >&2; exit 128",
      "python3": "[ \"$3\" = --version ] || { \(other); }",
    ])
    #expect(try child.wait() == .exited(1))
    let errors = child.text(of: .errors)
    #expect(errors.contains("cannot be had: fatal: no way; trying PyPI"), "\(errors)")
    #expect(errors.split(separator: "\n").last?.hasSuffix("is not what was expected") == true, "\(errors)")
    #expect(try files.isEmpty)
    let none = try get(["git": "exit 1", "python3": "exit 1"])
    #expect(try none.wait() == .exited(1))
    #expect(none.text(of: .errors).contains("apt-get install python3-pip"))
    #expect(try files.isEmpty)
  }

  /// Which Link `make` has a task built with.
  private func source(_ task: String, _ arguments: [String]) throws -> String {
    // A recipe's line that begins with + is run in spite of -n.
    let show = "show:;+@echo \"source [$$ABLETON_LINK_SOURCE]\""
    let child = try Child(
      "make",
      ["--directory", Self.root, "--dry-run", "--eval", show, "--eval", "\(task): show", task] + arguments,
      environment: ["ABLETON_LINK_SOURCE": nil, "LINK": nil, "MAKEFLAGS": nil, "MFLAGS": nil])
    #expect(try child.wait().isSuccess, "\(child.text(of: .errors))")
    return child.lines().first { $0.hasPrefix("source ") } ?? ""
  }

  @Test func `LINK chooses the source, and a Debian package has Link 4.0 where its source is`() throws {
    let link4 = "LINK4=\(target)"
    #expect(try source("test", [link4, "LINK=4"]) == "source [\(target)]")
    for arguments in [[link4], [link4, "LINK=debian"]] {
      #expect(try source("deb", arguments) == "source []")
    }
    let child = try get(["git": Self.clones])
    #expect(try child.wait().isSuccess)
    #expect(try source("deb", [link4]) == "source [\(target)]")
    #expect(try source("deb", [link4, "LINK=debian"]) == "source []")
    #expect(try source("test", [link4]) == "source []")
  }
}
