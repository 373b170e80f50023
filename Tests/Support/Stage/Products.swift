import Foundation

/// The programs built beside the running one.
public enum Products {
  /// The folder of the running executable, which is the build's.
  public static let directory: String =
    (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
    .map { URL(fileURLWithPath: $0).deletingLastPathComponent().path } ?? "."

  /// The path of a built program.
  public static func path(_ name: String) -> String { "\(directory)/\(name)" }
}
