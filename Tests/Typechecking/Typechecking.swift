import Foundation

/// Asks the compiler whether a piece of source text is right, given the libraries that were built with the tests.
public enum Typechecking {
  /// The folder of the package.
  public static let packageRoot = URL(filePath: #filePath).appending(path: "../../..").standardized

  /// What the compiler says of `source`: nothing when all is well.
  ///
  /// The text is a script: statements may stand outside functions.
  public static func diagnostics(of source: String) throws -> String {
    let products = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [
      "swiftc", "-typecheck", "-swift-version", "6",
      "-I", products.appending(path: "Modules").path,
      "-I", packageRoot.appending(path: "Sources/CJACK").path,
      "-Xcc", "-fmodule-map-file=\(products.appending(path: "CAbletonLink.build/module.modulemap").path)",
      "-",
    ]
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
