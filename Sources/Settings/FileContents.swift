import Glibc

/// Why a file could not be read.
enum FileFault: Error, Hashable {
  /// There is no such file.
  case missing
  /// It is a directory, a pipe or a device: reading one could wait, or go on, for ever.
  case notRegular(String)
  /// It has more bytes than anyone would write.
  case tooLarge
  /// The system's own reason.
  case system(String)
}

/// The bytes of the regular file at `path`, at most `limit` of them.
///
/// The corresponding C functions are `open`, `fstat` and `read`.
func contentsOfFile(at path: String, limit: Int) throws(FileFault) -> [UInt8] {
  // Without O_NONBLOCK, opening a named pipe that no program writes to would never return.
  let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
  guard descriptor >= 0 else { throw systemFault() }
  defer { close(descriptor) }

  var status = stat()
  guard fstat(descriptor, &status) == 0 else { throw systemFault() }
  switch status.st_mode & S_IFMT {
  case S_IFREG: break
  case S_IFDIR: throw .notRegular("a directory")
  default: throw .notRegular("not a regular file")
  }

  // The size of the file is not asked: it may grow while it is read.
  var contents = [UInt8](repeating: 0, count: limit + 1)
  var count = 0
  while count < contents.count {
    let step = contents.withUnsafeMutableBytes { bytes in
      read(descriptor, bytes.baseAddress.map { $0 + count }, bytes.count - count)
    }
    if step == 0 { break }
    if step > 0 {
      count += step
    } else if errno != EINTR {
      throw systemFault()
    }
  }
  guard count <= limit else { throw .tooLarge }
  return Array(contents.prefix(count))
}

private func systemFault() -> FileFault {
  let number = errno
  if number == ENOENT || number == ENOTDIR { return .missing }
  return .system(String(cString: strerror(number)))
}
