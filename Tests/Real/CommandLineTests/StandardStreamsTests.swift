import Glibc
import Patience
import Testing

@testable import jackstay

@Suite struct StandardStreamsTests {
  @Test func `A line is written whole to an output that is full and does not block`() async throws {
    var ends: [Int32] = [-1, -1]
    try #require(pipe(&ends) == 0)
    let (reader, writer) = (ends[0], ends[1])
    for end in ends { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
    let page = [UInt8](repeating: UInt8(ascii: "a"), count: 4096)
    var filled = 0
    while case let count = write(writer, page, page.count), count > 0 { filled += count }
    let line = String(repeating: "b", count: 1 << 20)
    // A reader that is slower than the writer: the pipe is full again and again.
    async let read = Task(executorPreference: Apart()) {
      var bytes: [UInt8] = []
      var buffer = page
      while case let count = Glibc.read(reader, &buffer, buffer.count), count != 0 {
        if count > 0 { bytes += buffer[..<count] } else { usleep(1000) }
      }
      return bytes
    }.value
    let isWritten = await Task(executorPreference: Apart()) {
      defer { close(writer) }
      return StandardStreams.print(line, on: writer)
    }.value
    let bytes = await read
    close(reader)
    #expect(isWritten)
    let isWhole = bytes.dropFirst(filled).elementsEqual("\(line)\n".utf8)
    #expect(isWhole)
  }
}
