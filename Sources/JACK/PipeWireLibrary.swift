import Glibc

/// PipeWire's own `libjack`, which reaches a PipeWire. The system's may be jackd2's, which does not.
public enum PipeWireLibrary {
  /// Runs this program anew, in the same process and with the same arguments, with PipeWire's `libjack` in
  /// place of jackd2's, as `pw-jack` does.
  ///
  /// It returns where there is no reason to: `server` or `JACK_DEFAULT_SERVER` names a server, the library is
  /// PipeWire's already, a jackd2 server called `default` runs, no PipeWire listens, or PipeWire's library is
  /// not installed. Of the process only its number, its open files without close-on-exec, its ignored signals
  /// and its signal mask outlast it.
  ///
  /// Thread-safe. Realtime-safe: no. The corresponding C function is `execv`.
  public static func adopt(unlessNamed server: String?) {
    guard server == nil, getenv("JACK_DEFAULT_SERVER") == nil, !LibJACK.isPipeWire,
      ServerAbsence.isPipeWireAlone, let folder
    else { return }
    let before = getenv("LD_LIBRARY_PATH").map { String(cString: $0) } ?? ""
    // Else the loader has not taken the library from there, and would not do so the next time.
    guard !before.split(separator: ":").contains(Substring(folder)), let program = ownPath else {
      return
    }
    setenv("LD_LIBRARY_PATH", before.isEmpty ? folder : "\(folder):\(before)", 1)
    execv(program, CommandLine.unsafeArgv)
    // It could not be run.
    if before.isEmpty { unsetenv("LD_LIBRARY_PATH") } else { setenv("LD_LIBRARY_PATH", before, 1) }
  }

  /// The folder that holds PipeWire's `libjack`: below the one in which the loader found jackd2's, or the C
  /// library.
  private static var folder: String? {
    var folders: [Substring] = []
    for line in KernelFile.text(at: "/proc/self/maps").split(separator: "\n") {
      guard let start = line.firstIndex(of: "/"), let end = line.lastIndex(of: "/") else { continue }
      let (folder, file) = (line[start..<end], line[line.index(after: end)...])
      if file.hasPrefix("libjack.so") { folders.insert(folder, at: 0) }
      if file.hasPrefix("libc.so") { folders.append(folder) }
    }
    return folders.lazy.map { "\($0)/pipewire-0.3/jack" }.first { access("\($0)/libjack.so.0", R_OK) == 0 }
  }

  /// The program's file. The kernel names a process by the path that it was started with, so that is not
  /// `/proc/self/exe`.
  private static var ownPath: String? {
    var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink("/proc/self/exe", &bytes, bytes.count)
    guard count > 0, count < bytes.count else { return nil }
    return String(decoding: bytes[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}
