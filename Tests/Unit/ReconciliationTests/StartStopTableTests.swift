import MusicalTime
import Testing

@testable import Reconciliation
@testable import Simulation

/// Walks the whole table in the documentation of `StartStop`: every event in every state.
@Suite struct StartStopTableTests {
  enum Stage: String, CaseIterable {
    case stopped, postponed, requested, held, released, starting, rolling, stopping
  }
  enum Event: String, CaseIterable {
    case jackStops, jackStarts, jackRolls, peerPlays, peerStops, time
  }

  /// The result of an event.
  struct Outcome: Equatable {
    var stage: Stage
    /// The request to JACK: start or stop.
    var jack: TransportRequest?
    /// The commit to Link: whether it plays.
    var link: Bool?

    init(_ stage: Stage, jack: TransportRequest? = nil, link: Bool? = nil) {
      self.stage = stage
      self.jack = jack
      self.link = link
    }
  }

  static let table: [Stage: [Event: Outcome]] = [
    .stopped: [
      .jackStops: .init(.stopped), .jackStarts: .init(.held, link: true),
      // It was not held for the phase: it is off, and corrected, here and below.
      .jackRolls: .init(.held, link: true),
      .peerPlays: .init(.requested, jack: .start), .peerStops: .init(.stopped), .time: .init(.stopped),
    ],
    // The session plays already.
    .postponed: [
      .jackStops: .init(.postponed), .jackStarts: .init(.held, link: true),
      .jackRolls: .init(.held, link: true),
      .peerPlays: .init(.requested, jack: .start), .peerStops: .init(.stopped),
      .time: .init(.requested, jack: .start),
    ],
    .requested: [
      .jackStops: .init(.requested), .jackStarts: .init(.held), .jackRolls: .init(.held),
      .peerPlays: .init(.requested, jack: .start), .peerStops: .init(.stopping, jack: .stop),
      .time: .init(.stopped, link: false),
    ],
    .held: [
      .jackStops: .init(.stopped, link: false), .jackStarts: .init(.held), .jackRolls: .init(.rolling),
      .peerPlays: .init(.held), .peerStops: .init(.stopping, jack: .stop), .time: .init(.released),
    ],
    .released: [
      .jackStops: .init(.stopped, link: false), .jackStarts: .init(.released), .jackRolls: .init(.rolling),
      .peerPlays: .init(.released), .peerStops: .init(.stopping, jack: .stop), .time: .init(.released),
    ],
    .starting: [
      .jackStops: .init(.stopped, link: false), .jackStarts: .init(.starting),
      .jackRolls: .init(.held),
      .peerPlays: .init(.starting), .peerStops: .init(.stopping, jack: .stop), .time: .init(.starting),
    ],
    .rolling: [
      .jackStops: .init(.stopped, link: false), .jackStarts: .init(.held), .jackRolls: .init(.rolling),
      .peerPlays: .init(.rolling), .peerStops: .init(.stopping, jack: .stop), .time: .init(.rolling),
    ],
    .stopping: [
      .jackStops: .init(.stopped), .jackStarts: .init(.stopping), .jackRolls: .init(.stopping),
      .peerPlays: .init(.stopping),
      // A client's start may have undone the stop, unseen.
      .peerStops: .init(.stopping, jack: .stop), .time: .init(.held, link: true),
    ],
  ]

  @Test("Every event in every state has the outcome in the table", arguments: Stage.allCases, Event.allCases)
  func walk(stage: Stage, event: Event) throws {
    var studio = Self.studio(in: stage, linkPlays: event != .peerPlays)
    #expect(studio.stage == stage)
    let decisions = Self.apply(event, in: stage, to: &studio)
    let expected = try #require(Self.table[stage]?[event])
    let asked = decisions.compactMap(\.transport).filter { $0 == .start || $0 == .stop }
    let told = decisions.compactMap { $0.link.isPlaying?.isPlaying }
    #expect(Outcome(try #require(studio.stage), jack: asked.first, link: told.first) == expected)
    #expect(asked.count <= 1 && told.count <= 1)
  }

  /// A studio in which a peer is there and the transport has come to `stage`, the session playing as well or
  /// not. JACK does nothing that the bridge asks for, and waits for another client, too.
  private static func studio(in stage: Stage, linkPlays: Bool) -> Studio {
    var studio = Studio()
    studio.isHeeded.jack = false
    studio.engine.slowClients = [.init(needs: nil)]
    // Coming into a world that plays commits nothing.
    let isPlaying = !linkPlays && [.held, .released, .starting].contains(stage)
    if isPlaying || [.rolling, .stopping].contains(stage) { studio.engine.put(.rolling) }
    if stage == .stopping || stage == .rolling && linkPlays { studio.peerPlays() }
    for _ in 0..<60 { studio.step() }
    switch stage {
    case .stopped, .rolling: break
    case .postponed: studio.peerPlays(at: studio.now + .seconds(60))
    case .requested: studio.peerPlays()
    case .stopping: studio.peerStops()
    case .held, .released, .starting:
      studio.engine.put(.starting)
      if stage == .starting { studio.engine.answer(isReady: true) }
    }
    // Presses are committed to Link at most each 50 ms.
    for _ in 0..<([.held, .released, .starting].contains(stage) ? 11 : 1) { studio.step() }
    if stage == .released { while studio.step().holdsStart {} }
    return studio
  }

  private static func apply(_ event: Event, in stage: Stage, to studio: inout Studio) -> [Decision] {
    switch event {
    case .jackStops: move(.stopped, &studio)
    case .jackStarts: move(.starting, &studio)
    case .jackRolls: move(.rolling, &studio)
    // Where it plays or is stopped already there is nothing to press.
    case .peerPlays: studio.peerPlays()
    case .peerStops: studio.peerStops()
    case .time:
      var decisions: [Decision] = []
      studio.run(seconds: stage == .postponed ? 61 : stage == .held ? 4 : 0.6) {
        if let last = $0.decisions.last { decisions.append(last.decision) }
        return $0.stage != stage
      }
      return decisions
    }
    return [studio.step()]
  }

  private static func move(_ motion: TransportState, _ studio: inout Studio) {
    if studio.engine.motion != motion { studio.engine.put(motion) }
  }
}

extension Studio {
  /// Where the reconciler's transport stands.
  var stage: StartStopTableTests.Stage? {
    switch bridge.reconciler.startStop.state {
    case .none: nil
    case .stopped: .stopped
    case .postponed: .postponed
    case .requested: .requested
    case .held(let start): start.isReleased ? .released : .held
    case .starting: .starting
    case .rolling: .rolling
    case .stopping: .stopping
    }
  }
}
