import Glibc

/// Operations on descriptors that take more than one call. Thread-safe. Realtime-safe: no.
public enum Descriptor {
  /// Writes all bytes, in one piece if the reader takes that; false when the system refuses, and `errno` has
  /// the reason.
  ///
  /// A descriptor that does not block, as another program that has it may want, is waited for like one that blocks.
  /// Neither `print`, which is buffered, nor `FileHandle` does this: that ends the program when the reader has gone.
  /// The corresponding C functions are `write` and `poll`.
  @discardableResult
  public static func writeAll(_ bytes: some Sequence<UInt8>, to descriptor: Int32) -> Bool {
    passAll(bytes) { rest in
      var count = write(descriptor, rest.baseAddress, rest.count)
      while count < 0, errno == EAGAIN {
        var wish = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        poll(&wish, 1, -1)
        count = write(descriptor, rest.baseAddress, rest.count)
      }
      return count
    }
  }

  /// Has a call take all bytes, however few it takes at once.
  ///
  /// - Parameters:
  ///   - bytes: The bytes.
  ///   - call: Is given those that are left, and returns how many it has taken, as `write` and `send` do.
  /// - Returns: Whether it has taken all; where it refuses, `errno` has the reason.
  public static func passAll(
    _ bytes: some Sequence<UInt8>, to call: (UnsafeRawBufferPointer) -> Int
  ) -> Bool {
    var rest = Array(bytes)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes(call)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  /// Sets an option of a socket. The corresponding C function is `setsockopt`.
  ///
  /// - Parameters:
  ///   - option: The option, as `SO_REUSEADDR`.
  ///   - level: The protocol that it is of, as `SOL_SOCKET`.
  ///   - descriptor: The socket.
  ///   - value: The value, in the type that the option has in C.
  /// - Returns: Whether the system has taken it; else `errno` has the reason.
  @discardableResult
  public static func set<Value>(
    _ option: Int32, at level: Int32 = SOL_SOCKET, of descriptor: Int32, to value: Value
  ) -> Bool {
    withUnsafeBytes(of: value) {
      setsockopt(descriptor, level, option, $0.baseAddress, socklen_t($0.count))
    } == 0
  }
}
