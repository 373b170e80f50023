import Control
import Glibc
import Host
import Settings

/// Commands on standard input, one a line, while the program runs.
final class StandardInput: Surface {
  private let display: Display
  /// The terminal's mode while commands are typed below the live line; `nil` where there is none.
  private let mode: TypingMode?
  private let log: @Sendable (LogLine) -> Void

  /// How often a program in the background looks whether it is in the foreground: no event says so.
  private static let lookout: useconds_t = 100_000

  /// Commands that are typed in `mode`, and what is shown as an answer, are on `display`; other answers are given to
  /// `log`.
  init(_ display: Display, _ mode: TypingMode?, _ log: @escaping @Sendable (LogLine) -> Void) {
    self.display = display
    self.mode = mode
    self.log = log
  }

  /// The user who started the bridge types there.
  var isOwners: Bool { true }

  func run(_ answer: @escaping @Sendable (String) async -> ControlAnswer) async {
    for await line in read() {
      switch line {
      case .failure(let error): log(.error(error.description))
      case .success(let line): await answer(line).show(on: display, log)
      }
    }
  }

  /// The lines until the input ends, read on a thread of its own: a read cannot be called back, and ends with
  /// the process.
  private func read() -> AsyncStream<CommandReader.Line> {
    let (lines, continuation) = AsyncStream.makeStream(
      of: CommandReader.Line.self, bufferingPolicy: .bufferingOldest(64))
    // In the background of a terminal a read would stop the whole program; ignored, it fails, until the
    // program is in front.
    signal(SIGTTIN, SIG_IGN)
    // With "stty tostop" a line that is written there would, too.
    signal(SIGTTOU, SIG_IGN)
    if !DetachedThread.start({ [self] in read(into: continuation) }) {
      continuation.yield(
        .failure(
          SettingsError(
            "standard input is not read: the system has no thread left. End other programs, and start again.")
        ))
      continuation.finish()
    }
    return lines
  }

  private func read(into lines: AsyncStream<CommandReader.Line>.Continuation) {
    var reader = CommandReader()
    var editor = LineEditor()
    var bytes = [UInt8](repeating: 0, count: 4096)
    while true {
      awaitForeground()
      let count = Glibc.read(STDIN_FILENO, &bytes, bytes.count)
      if count < 0, errno == EINTR || isOurTurnLater(errno) { continue }
      guard count > 0 else { break }
      let input = mode == nil ? Array(bytes[..<count]) : typed(bytes[..<count], &editor)
      for line in reader.take(input) { pass(line, to: lines) }
    }
    if let line = reader.end() { pass(line, to: lines) }
  }

  private func awaitForeground() {
    while Terminal.isInBackground(STDIN_FILENO) { usleep(StandardInput.lookout) }
    mode?.enter()
  }

  /// Whether a read has failed for the reason that the program is in the background, or that there is nothing
  /// to read yet.
  private func isOurTurnLater(_ error: Int32) -> Bool {
    if error == EAGAIN {
      // Another program has the same descriptor, and wants it not to block.
      var wish = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
      poll(&wish, 1, -1)
      return true
    }
    return error == EIO && Terminal.isInBackground(STDIN_FILENO)
  }

  /// The whole lines that the keys have made; each of them stays, as in any terminal.
  private func typed(_ keys: ArraySlice<UInt8>, _ editor: inout LineEditor) -> [UInt8] {
    var input: [UInt8] = []
    for key in keys {
      guard let line = editor.take(key) else { continue }
      if !line.isEmpty { display.print("> " + LineEditor.shown(line)) }
      input += line + [UInt8(ascii: "\n")]
    }
    display.showTyped(editor.shown, columnsAfterCursor: editor.columnsAfterCursor)
    return input
  }

  /// Waits while too many lines do, and the process that writes them waits, too: none is lost.
  private func pass(_ line: CommandReader.Line, to lines: AsyncStream<CommandReader.Line>.Continuation) {
    while case .dropped = lines.yield(line) { usleep(10_000) }
  }
}
