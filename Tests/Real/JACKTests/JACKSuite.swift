import Foundation
import JACK
import Stage
import Testing

/// All tests against a server: one after the other, because libjack serves one server per process at a time.
@Suite(.serialized, .alone) struct JACKSuite {}

/// Silences the library for the whole run.
let quiet: Void = JACKLog.silence()

/// Waits until `condition` holds, at most 30 s.
func eventually(_ condition: () throws -> Bool) async throws -> Bool {
  let patience = Date(timeIntervalSinceNow: 30)
  while Date() < patience {
    if try condition() { return true }
    try await Task.sleep(for: .milliseconds(2))
  }
  return try condition()
}

/// The first event that `isWanted`, or `nil` after 30 s or at the end of the stream.
func first(
  of events: AsyncStream<ServerEvent>, where isWanted: @escaping @Sendable (ServerEvent) -> Bool
) async -> ServerEvent? {
  await within(seconds: 30) { await events.first(where: isWanted) } ?? nil
}

/// The value that `body` returns, or `nil` when that takes too long; `body` then goes on unwatched.
func within<Value: Sendable>(
  seconds: Double, _ body: @escaping @Sendable () async -> Value
) async -> Value? {
  let (stream, continuation) = AsyncStream<Value?>.makeStream()
  let work = Task.detached {
    continuation.yield(await body())
    continuation.finish()
  }
  let timer = Task.detached {
    // Many short ones: where tests beside this one keep the process busy, the time is not `body`'s fault.
    for _ in 0..<100 { try await Task.sleep(for: .seconds(seconds / 100)) }
    continuation.yield(nil)
    continuation.finish()
  }
  let value = await stream.first { _ in true }
  timer.cancel()
  work.cancel()
  return value ?? nil
}

extension ServerEvent {
  var isShutdown: Bool {
    if case .shutdown = self { true } else { false }
  }
}
