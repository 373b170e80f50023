import MusicalTime
import Testing

@testable import Reconciliation

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
    var world = Self.world(in: stage, linkPlays: event != .peerPlays)
    #expect(world.stage == stage)
    let decisions = Self.apply(event, in: stage, to: &world)
    let expected = try #require(Self.table[stage]?[event])
    let asked = decisions.compactMap(\.transport).filter { $0 == .start || $0 == .stop }
    let told = decisions.compactMap { $0.link.isPlaying?.isPlaying }
    #expect(Outcome(try #require(world.stage), jack: asked.first, link: told.first) == expected)
    #expect(asked.count <= 1 && told.count <= 1)
  }

  /// A world in which a peer is there and the transport has come to `stage`, the session playing as well or
  /// not.
  private static func world(in stage: Stage, linkPlays: Bool) -> World {
    var world = World()
    world.peers = 1
    // Coming into a world that plays commits nothing.
    let isPlaying = !linkPlays && [.held, .released, .starting].contains(stage)
    let rolls = isPlaying || [.rolling, .stopping].contains(stage)
    if rolls { world.transport = .rolling }
    world.linkIsPlaying = stage == .stopping || stage == .rolling && linkPlays
    for _ in 0..<60 { world.cycle() }
    switch stage {
    case .stopped: break
    case .postponed: press(play: true, at: .milliseconds(60_000), &world)
    case .requested: press(play: true, &world)
    case .held: jack(.starting, told: linkPlays, &world)
    case .released:
      jack(.starting, told: linkPlays, &world)
      while world.cycle().decision.holdsStart {}
      world.asksUs = false
    case .starting:
      world.asksUs = false
      jack(.starting, told: linkPlays, &world)
    case .rolling: break
    case .stopping: press(play: false, &world)
    }
    return world
  }

  /// JACK starts, and the bridge's commit comes back from Link.
  private static func jack(_ motion: TransportState, told: Bool, _ world: inout World) {
    world.transport = motion
    world.cycle()
    if told { world.linkIsPlaying = true }
    // Presses are committed to Link at most each 50 ms.
    for _ in 0..<10 { world.cycle() }
  }

  @discardableResult
  private static func press(play: Bool, at time: HostInterval = .zero, _ world: inout World) -> Decision {
    world.linkIsPlaying = play
    world.timeForIsPlaying = world.now + time
    return world.cycle().decision
  }

  private static func apply(_ event: Event, in stage: Stage, to world: inout World) -> [Decision] {
    switch event {
    case .jackStops: return move(.stopped, &world)
    case .jackStarts: return move(.starting, &world)
    case .jackRolls: return move(.rolling, &world)
    // Where it plays or is stopped already there is nothing to press.
    case .peerPlays: return [press(play: true, &world)]
    case .peerStops: return [press(play: false, &world)]
    case .time:
      let seconds = stage == .postponed ? 61.0 : stage == .held ? 4 : 0.6
      var decisions: [Decision] = []
      for _ in 0..<Int(seconds / world.periodDuration.milliseconds * 1000) {
        decisions.append(world.cycle().decision)
        if let now = world.stage, now != stage { break }
      }
      return decisions
    }
  }

  private static func move(_ motion: TransportState, _ world: inout World) -> [Decision] {
    world.transport = motion
    return [world.cycle().decision]
  }
}

extension World {
  /// Where the reconciler's transport stands.
  var stage: StartStopTableTests.Stage? {
    switch reconciler.startStop.state {
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
