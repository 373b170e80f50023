import Foundation

/// The programs that come with the Swift toolchain.
public enum Toolchain {
  /// The path of a program: beside `swift` where it is there, the first of that name in `PATH` otherwise.
  public static func locate(_ program: String) -> String? {
    let swift = Child.locate("swift").map { URL(fileURLWithPath: $0).resolvingSymlinksInPath() }
    let beside = swift?.deletingLastPathComponent().appendingPathComponent(program).path
    if let beside, access(beside, X_OK) == 0 { return beside }
    return Child.locate(program)
  }
}
