import Foundation
import Stage
import Testing

/// That nothing in the bridge's callbacks may block or allocate, whatever happens: seen from outside, by
/// libraries between it and the system's.
///
/// Two watches look at the same: one of our own, which counts, and the toolchain's RealtimeSanitizer, which
/// knows more functions. Each is another library to be loaded first, which a program with a sanitizer of its
/// own does not bear.
@Suite(.serialized, .alone, .enabled(if: Sanitizer.current == nil, Sanitizer.bearsNoInterposer))
struct RealtimeTests {
  @Test(arguments: RealtimeScenario.all)
  func `Callbacks allocate nothing, lock nothing and wait for nothing`(scenario: RealtimeScenario) throws {
    let witness = try RealtimeWitness()
    // What Link does itself when something is committed: it wakes the thread that tells the peers. A wake-up
    // never waits, and it comes only with a commit that changes something.
    let wakeup = "pthread_cond_signal"
    try scenario.play(environment: witness.environment) { probe in
      // After a missed deadline there may be something to commit.
      let calm = try probe.judge("no commit while nothing happens") {
        let before = try witness.report()
        usleep(500_000)
        return (before: before, after: try witness.report())
      }
      guard let (before, after) = calm else { return }
      #expect(after.callbacks[.process, default: 0] - before.callbacks[.process, default: 0] > 50)
      #expect(after.calls[wakeup] == before.calls[wakeup], "a commit while nothing happens")
    }
    let report = try witness.report()
    #expect(try #require(report.callbacks[.process]) > 2000)
    // While a start is held JACK asks us in each cycle if it may roll, and its timebase owner nothing.
    if scenario.mode != "jack" { #expect(try #require(report.callbacks[.timebase]) > 500) }
    #expect(try #require(report.callbacks[.sync]) > (scenario.mode == "jack" ? 0 : 20))
    let wakeups = try #require(report.calls[wakeup])
    #expect(wakeups < 100, "\(report)")
    #expect(report.calls.filter { $0.key != wakeup }.isEmpty, "\(report)")
    for offence in report.offences {
      #expect(try functions(of: offence).contains("link_commit_audio_session_state"), "\(report)")
    }
  }

  @Test(arguments: RealtimeScenario.all)
  func `RealtimeSanitizer has nothing to report but Link's own wake-up`(scenario: RealtimeScenario) throws {
    let sanitizer = try RealtimeSanitizer()
    try scenario.play(environment: sanitizer.environment)
    let report = try sanitizer.report()
    #expect(report.violations == 0, "\(report.text)")
    // It watched, and what is suppressed is still there.
    #expect(report.suppressed > 0, "\(report.text)")
  }

  @Test func `RealtimeSanitizer reports Link's own wake-up, unless that is suppressed`() throws {
    let sanitizer = try RealtimeSanitizer(isSuppressing: false)
    let scene = try Scene(environment: sanitizer.environment)
    try scene.roll()
    try scene.rest()
    #expect(scene.bridge.terminate().isSuccess)
    let report = try sanitizer.report()
    #expect(report.violations > 0)
    #expect(report.suppressed == 0)
    let calls = report.text.matches(of: /real-time unsafe function `(\w+)`/).map { String($0.output.1) }
    #expect(Set(calls) == ["pthread_cond_signal"], "\(report.text)")
    let commits = report.text.matches(of: /in link_commit_audio_session_state/)
    #expect(commits.count == calls.count, "\(report.text)")
  }

  /// The names of the bridge's own functions that an offence was in.
  private func functions(of offence: RealtimeWitness.Offence) throws -> [String] {
    let symbolizer = try #require(Toolchain.locate("llvm-symbolizer"))
    let offsets = offence.frames.filter { $0.hasPrefix("jackstay+") }.map {
      String($0.dropFirst("jackstay+".count))
    }
    let child = try Child(
      symbolizer, ["--functions=linkage", "--obj=\(Products.path("jackstay"))"] + offsets)
    #expect(try child.wait(timeout: .seconds(60)).isSuccess)
    return child.lines()
  }
}
