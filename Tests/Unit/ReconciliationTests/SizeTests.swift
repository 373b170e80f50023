import MusicalTime
import Testing

@testable import Reconciliation

/// Values that are built or copied in every cycle: each byte is moved some hundred times a second, on the
/// thread that must not be late. A large value is kept in place instead.
@Suite struct SizeTests {
  @Test func `A value that is made anew in every cycle is small`() {
    #expect(MemoryLayout<Observation>.size <= 256)
    #expect(MemoryLayout<LaunchContext>.size <= 440)
    #expect(MemoryLayout<CycleSnapshot>.size <= 64)
    #expect(MemoryLayout<StartStop.Outcome>.size <= 168)
    #expect(MemoryLayout<Notice>.size <= 32)
    #expect(MemoryLayout<Decision>.size <= 240)
  }

  @Test func `Following an owner takes kilobytes, and nothing that is made anew holds it`() {
    #expect(MemoryLayout<Follower>.size > 2000)
    #expect(MemoryLayout<Direction>.size < MemoryLayout<Follower>.size + 256)
    #expect(MemoryLayout<Reconciler>.size < MemoryLayout<Direction>.size + 2048)
  }
}
