import Glibc

/// A socket that several threads use. It is closed when the last of them has let it go: the system gives the number
/// of a closed one to the next descriptor of the process, which another test may have.
final class SharedSocket: Sendable {
  let descriptor: Int32

  init(_ descriptor: Int32) { self.descriptor = descriptor }

  deinit { close(descriptor) }

  /// The next connection; `nil` once it has ended. It is waited for.
  func accept() -> SharedSocket? {
    let connection = Glibc.accept(descriptor, nil, nil)
    return connection >= 0 ? SharedSocket(connection) : nil
  }

  /// Has each thread that waits at it return.
  func end() { shutdown(descriptor, Int32(SHUT_RDWR)) }
}
