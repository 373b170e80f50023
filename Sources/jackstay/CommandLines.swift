import Glibc
import Reconciliation
import Settings

/// Commands on standard input, one a line, while the program runs.
enum CommandLines {
  /// The longest line worth reading: no command has as many bytes.
  static let longest = 256

  /// A line that was read: a command, or what is wrong with it.
  typealias Line = Swift.Result<Command, SettingsError>

  /// What is read until the input ends, on a thread of its own: a read cannot be called back, and ends with the
  /// process.
  static func read() -> AsyncStream<Line> {
    let (lines, continuation) = AsyncStream.makeStream(of: Line.self, bufferingPolicy: .bufferingOldest(64))
    // In the background of a terminal a read would stop the whole program; ignored, it fails, and there is no input.
    signal(SIGTTIN, SIG_IGN)
    var thread = pthread_t()
    let argument = Unmanaged.passRetained(Reader(continuation)).toOpaque()
    let code = pthread_create(
      &thread, nil,
      { argument in
        guard let argument else { return nil }
        Unmanaged<Reader>.fromOpaque(argument).takeRetainedValue().read()
        return nil
      }, argument)
    if code == 0 { pthread_detach(thread) } else { Unmanaged<Reader>.fromOpaque(argument).release() }
    return lines
  }

  private final class Reader: Sendable {
    private let lines: AsyncStream<Line>.Continuation

    init(_ lines: AsyncStream<Line>.Continuation) { self.lines = lines }

    func read() {
      var line: [UInt8] = []
      var isTooLong = false
      var bytes = [UInt8](repeating: 0, count: 4096)
      while true {
        let count = Glibc.read(STDIN_FILENO, &bytes, bytes.count)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return }
        for byte in bytes[..<count] {
          if byte != UInt8(ascii: "\n") {
            if line.count < CommandLines.longest { line.append(byte) } else { isTooLong = true }
            continue
          }
          take(line, isTooLong: isTooLong)
          line = []
          isTooLong = false
        }
      }
    }

    private func take(_ line: [UInt8], isTooLong: Bool) {
      do throws(SettingsError) {
        let text = String(decoding: line, as: UTF8.self)
        guard !isTooLong else {
          throw SettingsError("command \"\(text.echoed())\" is too long; expected \(Command.usage)")
        }
        if let command = try Command(line: text) { lines.yield(.success(command)) }
      } catch {
        lines.yield(.failure(error))
      }
    }
  }
}
