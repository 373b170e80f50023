import Glibc
import Settings

/// Commands on standard input, one a line, while the program runs.
enum CommandLines {
  /// What is read until the input ends, on a thread of its own: a read cannot be called back, and ends with the
  /// process.
  static func read() -> AsyncStream<CommandReader.Line> {
    let (lines, continuation) = AsyncStream.makeStream(
      of: CommandReader.Line.self, bufferingPolicy: .bufferingOldest(64))
    // In the background of a terminal a read would stop the whole program; ignored, it fails, and there is no input.
    signal(SIGTTIN, SIG_IGN)
    var thread = pthread_t()
    let argument = Unmanaged.passRetained(Input(continuation)).toOpaque()
    let code = pthread_create(
      &thread, nil,
      { argument in
        guard let argument else { return nil }
        Unmanaged<Input>.fromOpaque(argument).takeRetainedValue().read()
        return nil
      }, argument)
    if code == 0 { pthread_detach(thread) } else { Unmanaged<Input>.fromOpaque(argument).release() }
    return lines
  }

  private final class Input: Sendable {
    private let lines: AsyncStream<CommandReader.Line>.Continuation

    init(_ lines: AsyncStream<CommandReader.Line>.Continuation) { self.lines = lines }

    func read() {
      var reader = CommandReader()
      var bytes = [UInt8](repeating: 0, count: 4096)
      while true {
        let count = Glibc.read(STDIN_FILENO, &bytes, bytes.count)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { break }
        for line in reader.take(bytes[..<count]) { pass(line) }
      }
      if let line = reader.end() { pass(line) }
    }

    /// Waits while too many lines do, and whoever writes them waits with us: none is lost.
    private func pass(_ line: CommandReader.Line) {
      while case .dropped = lines.yield(line) { usleep(10_000) }
    }
  }
}
