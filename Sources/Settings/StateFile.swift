import Glibc
import Host
import Words

/// The file in which a bridge of one name keeps its ``SavedState``: `jackstay/NAME.toml` in `XDG_STATE_HOME`,
/// by default in `~/.local/state`; or, in a session of a session manager's, at the manager's path.
///
/// It is replaced as a whole, so that there is always the old one or the new one. Its functions wait for the disk.
public struct StateFile: Sendable {
  /// Why there is no state to be had.
  public enum Fault: Error, Hashable {
    /// The file's content is not as it was written, for the reason given.
    case damaged(String)
    /// The file cannot be read, for the reason given.
    case unreadable(String)
    /// The file is not one that Jackstay has written, and is left alone.
    case foreign
  }

  /// The path.
  public let path: String

  private let folder: String
  private let extent: SavedState.Extent
  /// A state is some lines long.
  private static let sizeLimit = 1 << 16
  /// How many damaged files are kept beside it.
  private static let mostAside = 20
  /// The kernel's bound, less the endings that are appended.
  private static let longestPath = 4000

  /// The file of the bridge called `name`; `nil` when the environment names no home folder.
  public init?(name: String, environment: [String: String]) {
    guard let home = UserFolder.state.path(environment: environment) else { return nil }
    folder = "\(home)/jackstay"
    path = "\(folder)/\(name).toml"
    extent = .run
  }

  /// The file of a session's, at the place that its manager has given, with an ending; `nil` where that is no
  /// place: a path from `/` on, with neither `..` nor characters that a line cannot show.
  public init?(session place: String) {
    let parts = place.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
    guard place.hasPrefix("/"), place.utf8.count < Self.longestPath,
      place.unicodeScalars.allSatisfy({ $0.value >= 32 && $0.value != 127 }),
      parts.last?.isEmpty == false, !parts.contains("."), !parts.contains(".."),
      let last = place.lastIndex(of: "/")
    else { return nil }
    folder = last == place.startIndex ? "/" : String(place[..<last])
    path = "\(place).toml"
    extent = .session
  }

  /// The path as a line can show it.
  public var echo: String { path.echoedAsPath }

  /// The saved state; `nil` when there is none.
  public func read() throws(Fault) -> SavedState? {
    let contents: [UInt8]
    do throws(FileFault) {
      contents = try contentsOfFile(at: path, limit: Self.sizeLimit)
    } catch {
      switch error {
      case .missing: return nil
      case .notRegular(let kind): throw .unreadable(kind)
      case .tooLarge where extent == .session: throw .foreign
      case .tooLarge: throw .damaged("it is larger than \(Self.sizeLimit) bytes")
      case .system(let reason): throw .unreadable(reason)
      }
    }
    guard contents.starts(with: extent.mark.utf8) else { throw .foreign }
    do throws(SettingsError) {
      return try SavedState(ConfigurationFile(path: "state", contents: contents), extent: extent)
    } catch {
      throw .damaged(error.description)
    }
  }

  /// That it is another program's file, and what to do.
  public var isForeign: SettingsError {
    SettingsError(
      "\(echo) is not a file of Jackstay's, so it is left as it is: its first line does not begin with \"\(extent.mark)\"; "
        + "move it away, or create the session anew")
  }

  /// Renames it, so that it can be looked at and is not read again; returns its new name, or throws the
  /// system's reason. No other file is replaced by that.
  ///
  /// The corresponding C functions are `open`, which reserves the name, and `rename`.
  public func setAside() throws(SettingsError) -> String {
    for number in 1...Self.mostAside {
      let aside = number == 1 ? "\(path).damaged" : "\(path).damaged.\(number)"
      let descriptor = open(aside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
      if descriptor < 0, errno == EEXIST { continue }
      guard descriptor >= 0 else { break }
      close(descriptor)
      if rename(path, aside) == 0 { return aside.echoedAsPath }
      let number = errno
      unlink(aside)
      errno = number
      break
    }
    throw SettingsError(
      "\(echo) cannot be renamed: \(reason()); remove it, and what ends in .damaged beside it")
  }

  /// Puts another in its place, which is the user's alone. A file of another program's is not replaced.
  ///
  /// The corresponding C functions are `mkdir`, `open`, `write`, `fsync` and `rename`.
  public func write(_ state: SavedState) throws(SettingsError) {
    if extent == .run {
      try makeFolder()
    } else {
      // The folder is the manager's to make.
      do throws(Fault) { _ = try read() } catch .foreign { throw isForeign } catch {}
    }
    let new = "\(path).\(getpid()).new"
    unlink(new)
    let descriptor = open(new, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw fault() }
    let isWritten = Descriptor.writeAll(state.text.utf8, to: descriptor) && fsync(descriptor) == 0
    let number = errno
    close(descriptor)
    errno = number
    guard isWritten, rename(new, path) == 0 else {
      let fault = fault()
      unlink(new)
      throw fault
    }
    // The folder's entry is to last, too.
    let parent = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard parent >= 0 else { return }
    fsync(parent)
    close(parent)
  }

  private func makeFolder() throws(SettingsError) {
    var made = ""
    for part in folder.split(separator: "/") {
      made += "/\(part)"
      guard mkdir(made, 0o700) == 0 || errno == EEXIST else { throw fault() }
    }
    chmod(folder, 0o700)
  }

  private func fault() -> SettingsError {
    let advice =
      extent == .run
      ? ", or give another as XDG_STATE_HOME, or start with --no-state" : ", and save the session again"
    return SettingsError("\(echo) cannot be written: \(reason()); make the folder writable\(advice)")
  }

  private func reason() -> String { String(cString: strerror(errno)) }
}
