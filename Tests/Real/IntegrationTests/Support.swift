import Foundation
import Stage
import Testing

extension LinkProbe {
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
    within limit: Duration = .seconds(20), where condition: (ProbeReport) -> Bool
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
  /// The length of a beat in microseconds at the tempo of that name: Link's protocol has whole ones.
  func beatLength(_ key: String) -> Double { self[key].map { 60e6 / $0 } ?? .nan }

  /// Bar, beat and tick as JACK shows them; empty when it shows none.
  var position: [Int] { word("bbt")?.split(separator: "|").compactMap { Int($0) } ?? [] }

  /// The bar as JACK shows it; 0 for none.
  var bar: Int { position.first ?? 0 }
}

/// How near JACK's beat has to be to a peer's, in microseconds.
///
/// Most of it is Link's: two peers agree as well as they have measured each other once, in unoptimised builds
/// to some ten microseconds, another each time they meet. The benchmark asks for more.
#if DEBUG
  let accuracy = 50.0
#else
  let accuracy = 20.0
#endif

/// Checks that in a report of a window without a missed deadline JACK's beat was there in each cycle, and
/// went on as the tempo has it.
///
/// Nothing where that could not be judged.
func expectSteady(_ report: ProbeReport?, sourceLocation: SourceLocation = #_sourceLocation) {
  guard let report else { return }
  for fault in ["no_bbt", "bad_bbt", "jumps", "backward"] {
    #expect(report[fault] == 0, "\(fault): \(report)", sourceLocation: sourceLocation)
  }
  #expect((report["rolling"] ?? 0) > 0, "\(report)", sourceLocation: sourceLocation)
}

/// Checks that no other client wrote into the timebase that the probe owned.
///
/// A client that does so does it in each cycle; one for which the probe came too late there may be for each
/// missed deadline.
func expectOwned(_ state: ProbeReport, sourceLocation: SourceLocation = #_sourceLocation) {
  let missed = (state["xruns"] ?? 0) + (state["late"] ?? 0)
  #expect(state["stolen"] ?? .infinity <= missed, "\(state)", sourceLocation: sourceLocation)
}

extension Scene {
  /// The lines the bridge has logged so far that contain `text`.
  func logged(_ text: String) -> [String] { bridge.lines(of: .errors).filter { $0.contains(text) } }
}

extension Child {
  /// Waits until the program handles a signal itself, and returns whether it does: before, the signal ends
  /// it.
  func awaitHolding(_ signal: Int32) -> Bool {
    let folder = "/proc/\(pid)/task"
    return eventually {
      let threads = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
      return threads.contains { thread in
        let text = (try? String(contentsOfFile: "\(folder)/\(thread)/status", encoding: .utf8)) ?? ""
        guard let mask = text.split(separator: "\n").first(where: { $0.hasPrefix("SigBlk:") }) else {
          return false
        }
        let bits = mask.dropFirst("SigBlk:".count).trimmingCharacters(in: .whitespaces)
        return (UInt64(bits, radix: 16) ?? 0) & (1 << UInt64(signal - 1)) != 0
      }
    }
  }
}

/// Waits until `condition` holds, and returns whether it did in time.
func eventually(within limit: Duration = .seconds(20), _ condition: () -> Bool) -> Bool {
  let deadline = ContinuousClock.now + limit
  while !condition() {
    guard ContinuousClock.now < deadline else { return false }
    usleep(2000)
  }
  return true
}
