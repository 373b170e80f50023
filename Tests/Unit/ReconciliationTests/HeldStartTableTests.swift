import MusicalTime
import Testing

@testable import Reconciliation
@testable import Simulation

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
    // A start that was released is JACK's, which asks anew where a client relocates.
    .released: [
      .cycle: .init(.released, holds: false), .time: .init(.released, holds: false),
      .relocated: .init(.planned, holds: true), .tempo: .init(.released, holds: false),
      .grid: .init(.released, holds: false), .shorter: .init(.released, holds: false),
      .ownerGone: .init(.released, holds: false),
    ],
  ]

  @Test("Every event in every phase has the outcome in the table", arguments: Phase.allCases, Event.allCases)
  func walk(phase: Phase, event: Event) throws {
    var studio = try Self.studio(in: phase)
    let decision = try Self.apply(event, in: phase, to: &studio)
    let places = if case .relocate = decision.transport { true } else { false }
    let expected = try #require(Self.table[phase]?[event])
    #expect(Outcome(studio.phase, holds: decision.holdsStart, places: places) == expected)
  }

  @Test("A start that the server would give up before it is due is put off, and asked for again later")
  func postponed() {
    var studio = Studio(.init(rules: .holding(for: .seconds(1.5))), tempo: .slowest)
    studio.run(seconds: 0.3)
    studio.shiftGrid(by: Beats(nanobeats: 1_000_000_000))
    studio.engine.start()
    let decision = studio.step()
    #expect(decision.transport == .stop)
    // JACK may take a cycle or two to stop, in which the start does not roll.
    #expect(decision.holdsStart)
    #expect(studio.stage == .stopping)
  }

  @Test func `Where cycles become shorter, JACK is asked once to wait anew, where it is`() throws {
    var studio = try Self.studio(in: .planned)
    studio.engine.period /= 2
    let frame = studio.engine.frame
    let requests = (0..<8).map { _ in studio.step().transport }
    #expect(requests == [.relocate(frame: frame)] + Array(repeating: nil, count: 7))
    studio.engine.period *= 2
    for _ in 0..<8 { #expect(studio.step().transport == nil) }
  }

  /// A studio in which a start is held and has come to `phase`, at a frame before which there is room. When it is
  /// released JACK waits for another client.
  private static func studio(in phase: Phase) throws -> Studio {
    var studio = Studio()
    studio.engine.slowClients = [.init(needs: nil)]
    studio.engine.put(.stopped, at: 1_000_000)
    studio.run(seconds: 0.3)
    studio.engine.start()
    // A relocation shows one cycle later than the start that it caused: the first cycles are its own.
    for _ in 0..<4 { studio.step() }
    try #require(studio.phase == .planned)
    if phase != .planned {
      _ = try reach(.placed, &studio)
      for _ in 0..<3 { studio.step() }
    }
    if phase == .released { _ = try reach(.released, &studio) }
    return studio
  }

  /// Lets time pass until the start has come to `phase`, and returns the last decision.
  private static func reach(_ phase: Phase, _ studio: inout Studio) throws -> Decision {
    let isReached = studio.run(seconds: 10) { $0.phase == phase }
    try #require(isReached)
    return try #require(studio.decisions.last).decision
  }

  private static func apply(_ event: Event, in phase: Phase, to studio: inout Studio) throws -> Decision {
    switch event {
    case .cycle: break
    case .time: if phase != .released { return try reach(phase == .planned ? .placed : .released, &studio) }
    case .relocated:
      // It shows in the second cycle.
      studio.engine.locate(to: 5_000_000)
      studio.step()
    case .tempo: studio.changeTempo(to: .bpm(97))
    case .grid: studio.shiftGrid(by: Beats(nanobeats: 700_000_000))
    case .shorter: studio.engine.period /= 2
    case .ownerGone: studio.owner = .other
    }
    return studio.step()
  }
}

extension Studio {
  /// How far the start has come that is held.
  var phase: HeldStartTableTests.Phase? {
    guard case .held(let start) = bridge.reconciler.startStop.state else { return nil }
    switch start.phase {
    case .planned: return .planned
    case .placed: return .placed
    case .released: return .released
    }
  }
}
