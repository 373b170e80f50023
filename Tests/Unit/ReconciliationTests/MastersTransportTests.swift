import MusicalTime
import Reconciliation
import Testing

/// A server whose transport follows a master's over the network.
@Suite struct MastersTransportTests {
  private func studio() -> Studio {
    var rules = ServerRules.jackd2
    rules.followsMaster = true
    var studio = Studio(Reconciler.Configuration(rules: rules))
    studio.run(seconds: 2)
    return studio
  }

  @Test
  func `A start or stop of the session is reported, and asks nothing of JACK and changes nothing in Link`() {
    var studio = studio()
    let before = studio.decisions.count
    studio.run(seconds: 3, after: .peerStarts(in: .zero))
    studio.run(seconds: 3, after: .peerStops)
    let since = studio.decisions.dropFirst(before)
    #expect(since.allSatisfy { $0.transport == nil && $0.link.isPlaying == nil && !$0.holdsStart })
    #expect(since.compactMap(\.notice) == [.peerPressedPlay, .peerPressedStop])
    #expect(!studio.isPlaying)
  }

  @Test func `The master's start rolls at once and plays in the session, and its stop stops the session`() {
    var studio = studio()
    let before = studio.decisions.count
    studio.run(seconds: 3, after: .clientStarts)
    #expect(studio.isPlaying)
    studio.run(seconds: 1, after: .clientStops)
    #expect(!studio.isPlaying)
    #expect(studio.decisions.dropFirst(before).allSatisfy { $0.transport == nil && !$0.holdsStart })
  }
}
