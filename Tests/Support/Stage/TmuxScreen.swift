import Foundation
import Glibc

/// A terminal that this project has not made, tmux, with a program in it, as a user sees it there.
///
/// tmux's server is a child, at a socket of its own, and ends with the object.
public final class TmuxScreen: Sendable {
  private let server: Child
  private let folder: RuntimeFolder
  private static let session = "stage"

  /// Runs a command line of a shell in a terminal of that size.
  ///
  /// - Throws: ``StageError`` when tmux does not start.
  public init(
    _ command: String, columns: Int = 80, rows: Int = 24, environment: [String: String?]
  ) throws(StageError) {
    folder = try RuntimeFolder()
    var variables = environment
    variables["TMUX"] = .some(nil)
    variables["LC_ALL"] = .some("C.UTF-8")
    server = try Child(
      "tmux", ["-u", "-D", "-S", "\(folder.path)/tmux", "-f", "/dev/null"],
      environment: variables.merging(["TMUX_TMPDIR": folder.path]) { $1 }, streams: .pipes)
    let deadline = ContinuousClock.now + .seconds(20)
    while access("\(folder.path)/tmux", F_OK) != 0 {
      guard ContinuousClock.now < deadline else { throw .unusable("tmux does not listen") }
      usleep(5000)
    }
    try tell("new-session", "-d", "-s", Self.session, "-x", "\(columns)", "-y", "\(rows)", command)
    // The program's last output is looked at, too.
    try tell("set-option", "-g", "remain-on-exit", "on")
  }

  deinit { server.terminate() }

  /// The lines that are seen, from the top, without the spaces at their ends.
  public func lines() throws(StageError) -> [String] {
    try ask("capture-pane", "-p", "-t", Self.session).components(separatedBy: "\n").dropLast()
  }

  /// The lines with the sequences that give them their colours.
  public func colouredText() throws(StageError) -> String {
    try ask("capture-pane", "-p", "-e", "-t", Self.session)
  }

  /// Whether a program draws on the other screen, and whether the cursor is seen.
  public func state() throws(StageError) -> (isOtherScreen: Bool, showsCursor: Bool) {
    let text = try ask("display-message", "-p", "-t", Self.session, "#{alternate_on}#{cursor_flag}")
    return (text.first == "1", text.dropFirst().first == "1")
  }

  /// The process that the shell in the terminal has started last and that has not ended; nil for none.
  public func programOfShell() throws(StageError) -> pid_t? {
    let shell = try ask("display-message", "-p", "-t", Self.session, "#{pane_pid}").dropLast()
    let children = try? String(contentsOfFile: "/proc/\(shell)/task/\(shell)/children", encoding: .utf8)
    return children?.split(separator: " ").last.flatMap { pid_t($0) }
  }

  /// Presses keys, by tmux's names of them.
  public func press(_ keys: String...) throws(StageError) {
    try tell(["send-keys", "-t", Self.session] + keys)
  }

  /// Makes the terminal larger or smaller.
  public func resize(columns: Int, rows: Int) throws(StageError) {
    try tell("resize-window", "-t", Self.session, "-x", "\(columns)", "-y", "\(rows)")
  }

  /// Waits until the lines meet a condition, and returns the last.
  public func awaitLines(
    within limit: Duration = .seconds(20), _ what: String = "lines", where condition: ([String]) -> Bool
  ) throws(StageError) -> [String] {
    let deadline = ContinuousClock.now + limit
    while true {
      let lines = try lines()
      if condition(lines) { return lines }
      guard ContinuousClock.now < deadline else {
        throw .timedOut(awaiting: what, transcript: lines.joined(separator: "\n"))
      }
      usleep(20_000)
    }
  }

  private func tell(_ words: String...) throws(StageError) { try tell(words) }
  private func tell(_ words: [String]) throws(StageError) { _ = try run(words) }
  private func ask(_ words: String...) throws(StageError) -> String { try run(words) }

  private func run(_ words: [String]) throws(StageError) -> String {
    let client = try Child(
      "tmux", ["-S", "\(folder.path)/tmux"] + words, environment: ["TMUX": nil, "LC_ALL": "C.UTF-8"])
    guard try client.wait().isSuccess else {
      throw .unusable("tmux \(words.joined(separator: " ")): \(client.text(of: .errors))")
    }
    return client.text()
  }
}
