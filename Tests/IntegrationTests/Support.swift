import Foundation
import Stage
import Testing

extension LinkProbe {
  /// Measures until no deadline was missed meanwhile: a missed one moves frames against time, and with them all that
  /// is measured, and is the machine's fault.
  func measureUndisturbed(_ name: String = "measure", seconds: Double) throws -> ProbeReport {
    for _ in 0..<8 {
      let report = try measure(name, seconds: seconds)
      if report["xruns"] == 0 { return report }
    }
    throw StageError.unusable("no \(seconds) s without a missed deadline: the machine is too busy")
  }

  /// Has a Link peer, this probe, set the session's tempo, and waits until JACK clients read it.
  @discardableResult func changeTempo(_ beatsPerMinute: Double) throws -> ProbeReport {
    let first = child.lines().count
    try send("tempo \(beatsPerMinute)")
    return try awaitReport("tempo \(beatsPerMinute) in JACK", from: first) {
      $0.word("watch") == "link tempo -> jack bpm"
    }
  }

  /// Waits until the state of session and transport meets a condition, and returns the last.
  func awaitPeers(
    within limit: Duration = .seconds(5), where condition: (ProbeReport) -> Bool
  ) throws -> ProbeReport {
    let deadline = ContinuousClock.now + limit
    while true {
      let report = try peers()
      if condition(report) || ContinuousClock.now > deadline { return report }
      usleep(20_000)
    }
  }
}

extension ProbeReport {
  /// The length of a beat in microseconds at the tempo of that name: what peers tell each other is whole ones.
  func beatLength(_ key: String) -> Double { self[key].map { 60e6 / $0 } ?? .nan }

  /// Bar, beat and tick as JACK shows them; empty when it shows none.
  var position: [Int] { word("bbt")?.split(separator: "|").compactMap { Int($0) } ?? [] }

  /// The bar as JACK shows it; 0 for none.
  var bar: Int { position.first ?? 0 }
}

/// How near JACK's beat has to be to a peer's, in microseconds.
///
/// Most of it is Link's: two peers agree as well as they have measured each other once, in unoptimised builds to some
/// ten microseconds, another each time they meet. The benchmark asks for more.
#if DEBUG
  let accuracy = 50.0
#else
  let accuracy = 20.0
#endif

/// Checks that in a report of a window without a missed deadline JACK's beat was there in each cycle, and went on as
/// the tempo has it.
func expectSteady(_ report: ProbeReport, sourceLocation: SourceLocation = #_sourceLocation) {
  for fault in ["no_bbt", "bad_bbt", "jumps", "backward"] {
    #expect(report[fault] == 0, "\(fault): \(report)", sourceLocation: sourceLocation)
  }
  #expect((report["rolling"] ?? 0) > 0, "\(report)", sourceLocation: sourceLocation)
}

extension Scene {
  /// Makes a scene and measures in it, until no deadline was missed meanwhile: for what happens only once in a scene.
  ///
  /// `measure` returns `nil` when it came too late for what it was to measure.
  static func undisturbed(
    _ make: () throws -> Scene, _ measure: (Scene) throws -> ProbeReport?
  ) throws -> (scene: Scene, report: ProbeReport) {
    for _ in 0..<8 {
      let scene = try make()
      if let report = try measure(scene), report["xruns"] == 0 { return (scene, report) }
    }
    throw StageError.unusable("a missed deadline in every scene: the machine is too busy")
  }

  /// The lines the bridge has logged so far that contain `text`.
  func logged(_ text: String) -> [String] { bridge.lines(of: .errors).filter { $0.contains(text) } }
}

/// Link's discovery port in this process's network, as the kernel tells it.
enum DiscoveryPort {
  static let number: UInt16 = 20808

  /// How many sockets are bound to it. A peer has some as long as it takes part, and none otherwise.
  static var users: Int {
    let table = (try? String(contentsOfFile: "/proc/net/udp", encoding: .utf8)) ?? ""
    let suffix = ":" + String(number, radix: 16, uppercase: true)
    return table.split(separator: "\n").filter { line in
      line.split(separator: " ").dropFirst().first?.hasSuffix(suffix) ?? false
    }.count
  }

  /// Waits until somebody takes part, or nobody does, and tells whether that happened.
  static func await(inUse: Bool, within limit: Duration = .seconds(5)) -> Bool {
    eventually(within: limit) { (users > 0) == inUse }
  }
}

/// Waits until `condition` holds, and tells whether it did in time.
func eventually(within limit: Duration = .seconds(5), _ condition: () -> Bool) -> Bool {
  let deadline = ContinuousClock.now + limit
  while !condition() {
    guard ContinuousClock.now < deadline else { return false }
    usleep(2000)
  }
  return true
}
