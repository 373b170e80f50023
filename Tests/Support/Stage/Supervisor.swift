import CStage
import Foundation
import Glibc

/// The state of one child; the supervisor writes, all others read.
struct ChildRecord {
  let pid: pid_t
  var status: ExitStatus?
  var output = Transcript()
  var errors = Transcript()
}

/// A program to be started.
struct Launch: Sendable {
  var program: String
  var arguments: [[UInt8]]
  var environment: [String]
  var directory: String?
  var streams: stage_streams
}

/// A child that was started.
struct Launched: Sendable {
  let record: Monitor<ChildRecord>
  let input: Int32
}

/// The one thread that forks, listens to and reaps all children of this process.
///
/// A child asks the kernel to be killed with its parent, and by "parent" the kernel means the *thread* that
/// forked it: so this thread never ends.
final class Supervisor: Sendable {
  static let shared = Supervisor()

  private typealias Reply = Monitor<Result<Launched, StageError>?>
  private enum Request: Sendable {
    case launch(Launch, Reply)
    case release(pid_t)
  }
  private struct Ward {
    let record: Monitor<ChildRecord>
    let pid: pid_t
    var pidfd, output, errors: Int32
    var isReleased = false
  }

  private let requests = Monitor<[Request]>([])
  private let bell = stage_bell_open()

  private init() {
    let thread = Thread { [self] in supervise() }
    thread.name = "supervisor"
    thread.start()
  }

  func launch(_ launch: Launch) throws(StageError) -> Launched {
    let reply = Reply(nil)
    post(.launch(launch, reply))
    guard let result = reply.wait({ $0 }) else { throw .unusable("no answer from the supervisor") }
    return try result.get()
  }

  /// Closes descriptors that are still open of a child that has ended.
  func release(_ pid: pid_t) { post(.release(pid)) }

  private func post(_ request: Request) {
    requests.change { $0.append(request) }
    stage_bell_ring(bell)
  }

  // MARK: The thread

  private func supervise() {
    var wards: [Ward] = []
    while true {
      var polled = [pollfd(fd: bell, events: Int16(POLLIN), revents: 0)]
      for ward in wards {  // poll skips those that are negative
        for descriptor in [ward.pidfd, ward.output, ward.errors] {
          polled.append(pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0))
        }
      }
      guard poll(&polled, nfds_t(polled.count), -1) > 0 else { continue }
      for (index, ready) in polled.dropFirst().enumerated() where ready.revents != 0 {
        attend(&wards[index / 3], to: index % 3)
      }
      if polled[0].revents != 0 {
        stage_bell_hush(bell)
        for request in requests.change({ $0.take() }) { answer(request, &wards) }
      }
      wards.removeAll { ward in
        guard ward.isReleased, ward.pidfd < 0 else { return false }
        for descriptor in [ward.output, ward.errors] where descriptor >= 0 { close(descriptor) }
        return true
      }
    }
  }

  private func attend(_ ward: inout Ward, to source: Int) {
    switch source {
    case 1: Supervisor.listen(&ward.output, ward.record, \.output)
    case 2: Supervisor.listen(&ward.errors, ward.record, \.errors)
    default:
      // The child's whole output is known when its end is.
      Supervisor.listen(&ward.output, ward.record, \.output)
      Supervisor.listen(&ward.errors, ward.record, \.errors)
      var code: Int32 = 0
      var bySignal: Int32 = 0
      // Under the lock, so that no thread signals a process id that is no longer the child's.
      let hasEnded = ward.record.change { record in
        guard stage_reap(record.pid, &code, &bySignal) != 0 else { return false }
        record.status = bySignal != 0 ? .signalled(code) : .exited(code)
        return true
      }
      guard hasEnded else { return }
      close(ward.pidfd)
      ward.pidfd = -1
    }
  }

  private static func listen(
    _ descriptor: inout Int32, _ record: Monitor<ChildRecord>,
    _ stream: WritableKeyPath<ChildRecord, Transcript>
  ) {
    guard descriptor >= 0 else { return }
    let source = descriptor
    let isOpen = withUnsafeTemporaryAllocation(byteCount: 65536, alignment: 1) { buffer in
      while true {
        let count = read(source, buffer.baseAddress, buffer.count)
        if count > 0 {
          record.change { $0[keyPath: stream].append(UnsafeRawBufferPointer(rebasing: buffer[..<count])) }
        } else if count < 0 && errno == EINTR {
          continue
        } else {
          return count < 0 && errno == EAGAIN  // a terminal nobody has open any more is EIO
        }
      }
    }
    guard !isOpen else { return }
    close(source)
    descriptor = -1
    record.change { $0[keyPath: stream].close() }
  }

  private func answer(_ request: Request, _ wards: inout [Ward]) {
    switch request {
    case .release(let pid):
      for index in wards.indices where wards[index].pid == pid { wards[index].isReleased = true }
    case .launch(let launch, let reply):
      switch start(launch) {
      case .failure(let error): reply.change { $0 = .failure(error) }
      case .success(let process):
        var record = ChildRecord(pid: process.pid)
        if process.errors < 0 { record.errors.close() }
        let launched = Launched(record: Monitor(record), input: process.input)
        wards.append(
          Ward(
            record: launched.record, pid: process.pid, pidfd: process.pidfd, output: process.output,
            errors: process.errors))
        reply.change { $0 = .success(launched) }
      }
    }
  }

  private func start(_ launch: Launch) -> Result<stage_process, StageError> {
    var process = stage_process()
    let arguments = CStrings([Array(launch.program.utf8)] + launch.arguments)
    let environment = CStrings(launch.environment.map { Array($0.utf8) })
    let directory = CStrings(launch.directory.map { [Array($0.utf8)] } ?? [])
    let error = launch.program.withCString { path in
      var program = stage_program(
        path: path, arguments: arguments.pointers, environment: environment.pointers,
        directory: directory.pointers[0], streams: launch.streams)
      return stage_spawn(&program, &process)
    }
    guard error != 0 else { return .success(process) }
    return .failure(
      .notStarted(program: launch.program, step: String(cString: process.step), errorNumber: error))
  }
}

/// A list of C strings with nil at its end.
private final class CStrings {
  let pointers: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
  private let count: Int

  init(_ strings: [[UInt8]]) {
    count = strings.count
    pointers = .allocate(capacity: count + 1)
    for (index, string) in strings.enumerated() {
      let copy = (string + [0]).withUnsafeBytes { bytes in
        bytes.assumingMemoryBound(to: CChar.self).baseAddress.flatMap { strdup($0) }
      }
      (pointers + index).initialize(to: copy)
    }
    (pointers + count).initialize(to: nil)
  }

  deinit {
    for index in 0..<count { free(pointers[index]) }
    pointers.deallocate()
  }
}

extension Array {
  fileprivate mutating func take() -> [Element] {
    defer { self = [] }
    return self
  }
}
