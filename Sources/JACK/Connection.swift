import Glibc
import Synchronization

/// Owns a client of the C library: one place that knows whether it may still be called.
///
/// Calls hold the lock for reading and run side by side; closing takes it for writing, so that no thread is
/// inside the library with a client that is being freed.
final class Connection: @unchecked Sendable {
  let name: String
  let notifications: Notifications
  private let client: OpaquePointer
  private let lock: UnsafeMutablePointer<pthread_rwlock_t>
  /// libjack sends requests over one socket per client, unguarded.
  private let serverRequest = Mutex(())
  /// Guarded by `lock`.
  private var isClosed = false
  /// Written by `activate` before the connection is shared, and by the one call that closes.
  private var target: RealtimeTarget?

  /// libjack keeps one metadata store per process, unguarded.
  private static let metadata = Mutex(())
  private let properties = Mutex(PropertyRecord())

  init(owning client: OpaquePointer) throws(JACKError) {
    self.client = client
    name = LibJACK.name(of: client)
    notifications = Notifications(
      bufferSize: LibJACK.bufferSize(of: client), sampleRate: LibJACK.sampleRate(of: client))
    lock = .allocate(capacity: 1)
    pthread_rwlock_init(lock, nil)
    try LibJACK.registerNotifications(client, notifications)
  }

  deinit {
    close()
    pthread_rwlock_destroy(lock)
    lock.deallocate()
  }

  func activate(_ handler: sending RealtimeHandler, isSlowToSync: Bool) throws(JACKError) {
    let target = RealtimeTarget(client: client, handler: handler, notifications: notifications)
    self.target = target
    try LibJACK.registerProcess(client, target)
    // Before the activation: after it jackd2 might start the real-time thread once more. PipeWire activates the
    // client by this very call, so there it comes last.
    if isSlowToSync, !LibJACK.isPipeWire { _ = LibJACK.setSync(client, target, true) }
    let before = LibJACK.pace(of: client)
    let code = LibJACK.activate(client)
    guard code == 0 else { throw .cannotActivate(code: code) }
    // jackd2 notifies only active clients of a freewheel that begins.
    if before?.isRealtime == true, LibJACK.pace(of: client)?.isRealtime == false {
      notifications.didFreewheel(true)
    }
    if isSlowToSync, LibJACK.isPipeWire { _ = LibJACK.setSync(client, target, true) }
    LibJACK.nameThread(of: client)
  }

  /// Runs `body` with the client, which stays open meanwhile.
  func call<Result>(_ body: (OpaquePointer) throws(JACKError) -> Result) throws(JACKError) -> Result {
    pthread_rwlock_rdlock(lock)
    defer { pthread_rwlock_unlock(lock) }
    guard !isClosed else { throw .clientClosed }
    guard !notifications.serverIsGone else { throw .serverGone }
    return try body(client)
  }

  /// Runs `body` when the client is open and its server there; `nil` otherwise.
  func callIfOpen<Result>(_ body: (OpaquePointer) -> Result) -> Result? {
    try? call { client throws(JACKError) in body(client) }
  }

  /// How far the server has counted; see ``Client/pace``.
  var pace: ServerPace? { callIfOpen { LibJACK.pace(of: $0) } ?? nil }

  /// Runs `body`, which makes requests of the server, one such call at a time.
  func request<Result: Sendable>(
    _ body: (OpaquePointer, RealtimeTarget) throws(JACKError) -> Result
  ) throws(JACKError) -> Result {
    try call { client throws(JACKError) in
      guard let target else { throw .clientClosed }
      return try serverRequest.withLock { _ throws(JACKError) in try body(client, target) }
    }
  }

  /// Runs `body` like ``request(_:)``, once a callback has run.
  ///
  /// jackd2 starts the real-time thread once more where such a request comes while that thread still begins.
  func requestOfRunning<Result: Sendable>(
    _ function: String, _ body: (OpaquePointer, RealtimeTarget) throws(JACKError) -> Result
  ) throws(JACKError) -> Result {
    try request { client, target throws(JACKError) in
      guard LibJACK.isPipeWire || target.awaitFirstCallback() else {
        throw .callFailed(function: function, code: ETIMEDOUT)
      }
      return try body(client, target)
    }
  }

  /// Runs `body`, which uses the metadata store, one such call at a time in the whole process.
  func requestMetadata<Result: Sendable>(
    _ body: (OpaquePointer, inout PropertyRecord) throws(JACKError) -> Result
  ) throws(JACKError) -> Result {
    try request { client, _ throws(JACKError) in
      try Self.metadata.withLock { _ throws(JACKError) in
        try properties.withLock { record throws(JACKError) in try body(client, &record) }
      }
    }
  }

  /// Removes the client's own properties after the server has died: jackd2 keeps them in a file, and gives
  /// the client's number to another client when it is back. A server that lives does it itself.
  private func removeLeftProperties() {
    guard notifications.serverIsGone, !LibJACK.isPipeWire else { return }
    let record = properties.withLock { $0 }
    guard let subject = record.subject else { return }
    Self.metadata.withLock { _ in
      for key in record.keys { _ = LibJACK.removeProperty(client, of: subject, key: key) }
    }
  }

  /// Closes the client; only the first call does.
  func close() {
    pthread_rwlock_wrlock(lock)
    let wasClosed = isClosed
    isClosed = true
    pthread_rwlock_unlock(lock)
    guard !wasClosed else { return }
    // From here on no other thread calls the library, so the lock need not be held while a hung server keeps
    // jack_client_close waiting.
    target?.gate.shut()
    notifications.end()
    // PipeWire's is the client's own thread, which ends in order when the client is closed, and not before.
    if !LibJACK.isPipeWire { notifications.awaitMessenger() }
    removeLeftProperties()
    JACKLog.whileSilent { LibJACK.close(client) }
    target = nil
  }
}
