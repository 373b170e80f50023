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

  /// The path of a run-time library of the toolchain's C compiler: "rtsan" is RealtimeSanitizer's.
  public static func runtime(_ name: String) throws(StageError) -> String {
    guard let compiler = locate("clang") else { throw .unusable("no clang in PATH: Swift comes with one") }
    #if arch(x86_64)
      let file = "libclang_rt.\(name)-x86_64.a"
    #else
      let file = "libclang_rt.\(name)-aarch64.a"
    #endif
    let child = try Child(compiler, ["-print-file-name=\(file)"])
    guard try child.wait().isSuccess, let path = child.lines().first, path.hasPrefix("/") else {
      throw .unusable("\(compiler) comes without \(file): use the Swift toolchain that the README names")
    }
    return path
  }
}
