import MusicalTime
import Testing

@testable import Reconciliation

/// Walks the table in the documentation of `HeldStart`: every event in every phase.
@Suite struct HeldStartTableTests {
  enum Phase: String, CaseIterable { case planned, placed, released }
  enum Event: String, CaseIterable {
    case cycle, time, relocated, tempo, grid, shorter, ownerGone
  }

  /// The result of an event.
  struct Outcome: Equatable {
    /// `nil` where the bridge no longer holds the start.
    var phase: Phase?
    var holds: Bool
    /// Whether the playhead is put in place.
    var places = false

    init(_ phase: Phase?, holds: Bool, places: Bool = false) {
      self.phase = phase
      self.holds = holds
      self.places = places
    }
  }

  static let table: [Phase: [Event: Outcome]] = [
    .planned: [
      .cycle: .init(.planned, holds: true), .time: .init(.placed, holds: true, places: true),
      .relocated: .init(.planned, holds: true), .tempo: .init(.planned, holds: true),
      .grid: .init(.planned, holds: true), .shorter: .init(.planned, holds: true, places: true),
      // The bridge may own it in a moment.
      .ownerGone: .init(.planned, holds: true),
    ],
    .placed: [
      .cycle: .init(.placed, holds: true), .time: .init(.released, holds: false),
      .relocated: .init(.planned, holds: true), .tempo: .init(.planned, holds: true),
      .grid: .init(.planned, holds: true), .shorter: .init(.placed, holds: true, places: true),
      .ownerGone: .init(.placed, holds: true),
    ],
    // A start that was released is JACK's.
    .released: [
      .cycle: .init(.released, holds: false), .time: .init(.released, holds: false),
      .relocated: .init(.released, holds: false), .tempo: .init(.released, holds: false),
      .grid: .init(.released, holds: false), .shorter: .init(.released, holds: false),
      .ownerGone: .init(.released, holds: false),
    ],
  ]

  @Test("Every event in every phase has the outcome in the table", arguments: Phase.allCases, Event.allCases)
  func walk(phase: Phase, event: Event) throws {
    var world = try Self.world(in: phase)
    let decision = try Self.apply(event, in: phase, to: &world)
    let places = if case .relocate = decision.transport { true } else { false }
    let expected = try #require(Self.table[phase]?[event])
    #expect(Outcome(world.phase, holds: decision.holdsStart, places: places) == expected)
  }

  @Test("A start that the server would give up before it is due is put off, and asked for again later")
  func postponed() {
    var world = World(.init(rules: .holding(for: .seconds(1.5))), tempo: .slowest)
    world.peers = 1
    for _ in 0..<60 { world.cycle() }
    world.shiftGrid(by: Beats(nanobeats: 1_000_000_000))
    world.transport = .starting
    let decision = world.cycle().decision
    #expect(decision.transport == .stop)
    // JACK may take a cycle or two to stop, in which the start does not roll.
    #expect(decision.holdsStart)
    #expect(world.stage == .stopping)
  }

  @Test("Where cycles become shorter, JACK is asked once to wait anew, where it is")
  func shorter() throws {
    var world = try Self.world(in: .planned)
    world.period /= 2
    let frame = world.frame
    let decisions = (0..<8).map { _ in world.cycle().decision }
    #expect(
      decisions.map { if case .relocate(frame) = $0.transport { true } else { false } }
        == [true] + Array(repeating: false, count: 7))
    world.period *= 2
    for _ in 0..<8 {
      let decision = world.cycle().decision
      #expect(decision.transport == nil)
    }
  }

  /// A world in which a start is held and has come to `phase`, at a frame before which there is room.
  private static func world(in phase: Phase) throws -> World {
    var world = World()
    world.peers = 1
    world.frame = 1_000_000
    for _ in 0..<60 { world.cycle() }
    world.transport = .starting
    // A relocation shows one cycle later than the start that it caused: the first cycles are its own.
    for _ in 0..<4 { world.cycle() }
    try #require(world.phase == .planned)
    guard phase != .planned else { return world }
    try #require(reach(.placed, &world) != nil)
    for _ in 0..<3 { world.cycle() }
    guard phase == .released else { return world }
    try #require(reach(.released, &world) != nil)
    world.asksUs = false
    return world
  }

  /// Lets time pass until the start has come to `phase`, and returns the decisions of that time.
  private static func reach(_ phase: Phase, _ world: inout World) -> Decision? {
    for _ in 0..<2000 {
      let decision = world.cycle().decision
      // A relocation by the bridge shows two cycles later.
      if case .relocate(let frame) = decision.transport {
        if phase == .placed { world.cycle() }
        world.frame = frame
      }
      if world.phase == phase { return decision }
    }
    return nil
  }

  private static func apply(_ event: Event, in phase: Phase, to world: inout World) throws -> Decision {
    switch event {
    case .cycle: break
    case .time:
      switch phase {
      case .planned: return try #require(reach(.placed, &world))
      case .placed: return try #require(reach(.released, &world))
      case .released: break
      }
    case .relocated: world.frame = 5_000_000
    case .tempo: world.changeTempo(to: try #require(Tempo(beatsPerMinute: 97)))
    case .grid: world.shiftGrid(by: Beats(nanobeats: 700_000_000))
    case .shorter: world.period /= 2
    case .ownerGone: world.owner = .other
    }
    return world.cycle().decision
  }
}

extension World {
  /// How far the start has come that is held.
  var phase: HeldStartTableTests.Phase? {
    guard case .held(let start) = reconciler.startStop.state else { return nil }
    switch start.phase {
    case .planned: return .planned
    case .placed: return .placed
    case .released: return .released
    }
  }
}
