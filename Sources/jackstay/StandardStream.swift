import Glibc

/// What is written to where people and programs read the program.
enum StandardStream {
  /// Writes all of it, in one piece if the reader takes that; false when the reader has gone.
  ///
  /// Neither `print`, which is buffered, nor `FileHandle`, which ends the program when the reader has gone. The
  /// corresponding C function is `write`.
  @discardableResult static func write(_ text: String, to descriptor: Int32) -> Bool {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      if count < 0, errno == EAGAIN {
        // Another program has the same descriptor, and wants it not to block.
        var wish = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        poll(&wish, 1, -1)
        continue
      }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }
}
