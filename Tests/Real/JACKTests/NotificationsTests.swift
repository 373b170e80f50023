import Dispatch
import Foundation
import Testing

@testable import JACK

struct NotificationsTests {
  @Test func `The thread that reported the server's end is waited for, but not for ever`() {
    let notifications = Notifications(bufferSize: 256, sampleRate: 48000)
    #expect(notifications.awaitMessenger(), "nobody told")
    let (told, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    Thread.detachNewThread {
      notifications.serverDidShutDown(reason: "the test's")
      told.signal()
      mayEnd.wait()
    }
    told.wait()
    #expect(notifications.serverIsGone)
    #expect(!notifications.awaitMessenger(timeout: 20), "it lives")
    mayEnd.signal()
    #expect(notifications.awaitMessenger(timeout: 30_000))
  }

  @Test func `Closing waits for every thread that is telling something, and lets no other begin`() {
    final class Door: Sendable {
      private let gate = NotificationGate()
      func enter() -> Bool { gate.enter() }
      func leave() { gate.leave() }
      func shut() { gate.shut() }
    }
    let door = Door()
    let isShut = DispatchSemaphore(value: 0)
    #expect(door.enter())
    #expect(door.enter())
    door.leave()
    Thread.detachNewThread {
      door.shut()
      isShut.signal()
    }
    #expect(isShut.wait(timeout: .now() + .milliseconds(20)) == .timedOut, "one is inside")
    door.leave()
    #expect(isShut.wait(timeout: .now() + .seconds(30)) == .success)
    #expect(!door.enter())
  }
}
