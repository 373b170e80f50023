import Foundation
import Stage
import Testing

/// Nothing in the bridge's callbacks may block or allocate, in any event: seen from outside, by libraries
/// between it and the system's.
///
/// Two watches look at it: one of this project's own, which counts, and the toolchain's RealtimeSanitizer, which knows more
/// functions. They are libraries to be loaded first, which a program with a sanitizer of its own does not bear.
@Suite(.serialized, .alone, .enabled(if: Sanitizer.current == nil, Sanitizer.bearsNoInterposer))
struct RealtimeTests {
  @Test(arguments: RealtimeScenario.all)
  func `Callbacks allocate nothing, lock nothing and wait for nothing`(scenario: RealtimeScenario) throws {
    let (witness, sanitizer) = (try RealtimeWitness(), try RealtimeSanitizer())
    try scenario.play(environment: sanitizer.with(witness))
    let found = try sanitizer.report()
    #expect(found.violations == 0, "\(found.text)")
    let report = try witness.report()
    #expect(try #require(report.callbacks[.process]) > 2000)
    // While a start is held JACK asks the bridge in each cycle if it may roll, and its timebase owner
    // nothing.
    if scenario.mode != "jack" { #expect(try #require(report.callbacks[.timebase]) > 500) }
    #expect(try #require(report.callbacks[.sync]) > (scenario.mode == "jack" ? 0 : 20))
    #expect(report.calls.isEmpty, "\(report)")
  }

  @Test func `The callbacks of a calibration allocate nothing, lock nothing and wait for nothing`() throws {
    let witness = try RealtimeWitness()
    let room = try CalibrationRoom()
    let hut = try room.enterHut()
    defer { hut.end() }
    let microphone = try room.microphone(others: 4_800, own: 3_000)
    defer { microphone.closeInput() }
    let calibration = try room.calibrate(["--beats", "16", "--yes"], environment: witness.environment)
    // A missed deadline may have spoiled the offset, which others judge.
    #expect(try [.exited(0), .exited(1)].contains(calibration.wait(timeout: .seconds(90))))
    let report = try witness.report()
    #expect(try #require(report.callbacks[.process]) > 1000)
    #expect(report.calls.isEmpty, "\(report)")
  }
}
