import Glibc
import Host

/// The folders in which the sockets of one user's running bridges can be.
///
/// A bridge has its socket in the first of them that it can use, and commands look into all of them: a bridge that was
/// started at boot has no runtime folder, and a user who logs in later has one. Which of them can be used changes
/// while a bridge runs, because runtime folders come with a login and go with a logout.
public struct ControlPlaces: Sendable, Hashable {
  /// The value of `XDG_RUNTIME_DIR`, where that is an absolute path, and then `/run/user/UID`.
  private let runtimeFolders: [String]
  /// Where no environment variable counts.
  private let shared: [OwnFolder]
  private let user: UInt32

  /// The folders of this process's user, whose environment that is.
  ///
  /// A relative `XDG_RUNTIME_DIR` does not count, as the XDG Base Directory Specification asks, and nor does one that
  /// belongs to another user, as a superuser's environment may have it.
  public init(environment: [String: String]) {
    self.init(
      environment: environment, runtime: "/run/user/\(getuid())", shared: OwnFolder.shared(), user: getuid())
  }

  init(environment: [String: String], runtime: String, shared: [OwnFolder], user: UInt32 = getuid()) {
    let own = environment["XDG_RUNTIME_DIR"].flatMap { $0.hasPrefix("/") ? $0 : nil }
    runtimeFolders = [own, runtime].compactMap(\.self)
    self.shared = shared
    self.user = user
  }

  /// The folders that count now, best first.
  var folders: [ControlFolder] {
    let own = runtimeFolders.filter { OwnFolder.belongs($0, to: user) }.map {
      ControlFolder("\($0)/jackstay")
    }
    var folders: [ControlFolder] = []
    for folder in own + shared.map({ ControlFolder($0.path) }) where !folders.contains(folder) {
      folders.append(folder)
    }
    return folders
  }
}
