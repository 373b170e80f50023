import Foundation

/// Asks the compiler whether source text is right, given the libraries that were built with the tests.
public enum Typechecking {
  /// The folder of the package.
  public static let packageRoot = URL(filePath: #filePath).appending(path: "../../../..").standardized

  /// The compiler's messages about `source`: none when all is well.
  ///
  /// The text is a script: statements may stand outside functions.
  public static func diagnostics(of source: String) throws -> String {
    try compile(["-typecheck", "-"], input: source)
  }

  /// The compiler's messages about a module of the package whose files `change` has changed: none when all is
  /// well.
  ///
  /// Other than with ``diagnostics(of:)`` it goes as far as to check what functions do that may not lock.
  ///
  /// - Parameters:
  ///   - name: The module's name.
  ///   - change: Given a file's name and text, returns what is to take the text's place.
  /// - Returns: The compiler's messages.
  /// - Throws: The errors of reading the module and of running the compiler.
  public static func diagnostics(
    ofModule name: String, changing change: (_ file: String, _ text: String) -> String
  ) throws -> String {
    let folder = FileManager.default.temporaryDirectory.appending(path: "typechecking-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let sources = packageRoot.appending(path: "Sources/\(name)")
    var files: [String] = []
    for path in try FileManager.default.subpathsOfDirectory(atPath: sources.path).sorted()
    where path.hasSuffix(".swift") {
      let text = try String(contentsOf: sources.appending(path: path), encoding: .utf8)
      // The names of a module's files differ, whatever their folders.
      let file = (path as NSString).lastPathComponent
      let changed = folder.appending(path: file)
      try Data(change(file, text).utf8).write(to: changed)
      files.append(changed.path)
    }
    return try compile(
      ["-emit-sil", "-wmo", "-parse-as-library", "-module-name", name, "-o", "/dev/null"] + files)
  }

  private static func compile(_ arguments: [String], input source: String = "") throws -> String {
    let products = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments =
      [
        "swiftc", "-swift-version", "6",
        "-I", products.appending(path: "Modules").path,
        "-I", packageRoot.appending(path: "Sources/CJACK").path,
        "-Xcc", "-fmodule-map-file=\(products.appending(path: "CAbletonLink.build/module.modulemap").path)",
      ] + arguments
    let input = Pipe()
    let output = Pipe()
    process.standardInput = input
    process.standardError = output
    try process.run()
    input.fileHandleForWriting.write(Data(source.utf8))
    try input.fileHandleForWriting.close()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return text
  }
}
