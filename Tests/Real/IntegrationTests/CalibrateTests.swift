import Foundation
import Glibc
import Stage
import Testing

/// `jackstay calibrate` beside a bridge, in a room whose delays are known: LinkHut is the other device.
@Suite(.serialized, .alone) struct CalibrateTests {
  private let room: CalibrationRoom

  init() throws { room = try CalibrationRoom() }

  @Test(.onEveryServer) func `The offset that is found and set is the delay that the room has put in`() throws
  {
    let hut = try room.enterHut()
    defer { hut.end() }
    for (others, own) in [(4_800, 3_000), (2_400, 7_200)] {
      let truth = Double(others - own) / 48
      func isRight(_ calibration: Child) -> Bool {
        CalibrationRoom.offset(setBy: calibration).map { abs($0 - truth) < CalibrationRoom.exactness }
          ?? false
      }
      let words = ["--beats", "16", "--yes"]
      guard let calibration = try room.calibration(words, others: others, own: own, isRight) else {
        continue
      }
      let offset = try #require(
        CalibrationRoom.offset(setBy: calibration), "\(calibration.text(of: .errors))")
      #expect(abs(offset - truth) < CalibrationRoom.exactness, "\(offset), not \(truth)")
      // It is set in the bridge, and the next one is no sum.
      let text = try room.status()
      #expect(
        text.contains("offset     \(offset < 0 ? "" : "+")\(String(format: "%.2f", offset)) ms"), "\(text)")
    }
  }

  @Test func `A command that cannot work says what to do`() throws {
    func message(_ words: [String]) throws -> String {
      let child = try room.calibrate(words)
      #expect(try child.wait(timeout: .seconds(60)) == .exited(1))
      return child.text(of: .errors)
    }
    #expect(try message([]).contains("no other device in the session"))
    let hut = try room.enterHut()
    defer { hut.end() }
    #expect(try message([]).contains("JACK has no port \"room-out:microphone\" for --input"))
    // Nothing comes to the microphone.
    let silent = try room.microphone(others: 4_800, own: 4_800, noise: 0, gain: 0)
    #expect(try message([]).contains("The input is silent"))
    silent.closeInput()
    #expect(try silent.wait().isSuccess)
    // JACK's own sound alone does.
    let deaf = try room.microphone(others: 4_800, own: 4_800, hearing: "nobody:out")
    #expect(try message(["--beats", "16"]).contains("no other device is"))
    deaf.closeInput()
    #expect(try !room.status().contains("offset"))
    room.bridge.terminate()
    #expect(try message([]).contains("no bridge runs"))
  }

  @Test func `Ctrl-C ends it at once, and without an answer nothing is set`() throws {
    let hut = try room.enterHut()
    defer { hut.end() }
    let microphone = try room.microphone(others: 4_800, own: 3_000)
    let interrupted = try room.calibrate([])
    try interrupted.awaitLine("its beginning") { $0.contains("48 beats at 120.00 bpm") }
    let began = ContinuousClock.now
    interrupted.signal(SIGINT)
    #expect(try interrupted.wait() == .exited(0))
    #expect(ContinuousClock.now - began < .seconds(5))
    microphone.closeInput()
    _ = try microphone.wait()
    func isRight(_ asked: Child) -> Bool {
      asked.lines().last?.hasPrefix("set it by: jackstay offset +37.") == true
    }
    if let asked = try room.calibration(["--beats", "16"], others: 4_800, own: 3_000, isRight) {
      #expect(try asked.wait().isSuccess, "\(asked.text(of: .errors))")
      #expect(isRight(asked), "\(asked.lines())")
    }
    #expect(try !room.status().contains("offset"))
  }

  @Test func `A tempo that changes meanwhile is reported`() throws {
    let hut = try room.enterHut()
    defer { hut.end() }
    let microphone = try room.microphone(others: 4_800, own: 3_000)
    defer { microphone.closeInput() }
    let child = try room.calibrate([])
    try child.awaitLine("its beginning") { $0.contains("beats at") }
    usleep(1_000_000)
    try hut.changeTempo(by: 3)
    #expect(try child.wait(timeout: .seconds(60)) == .exited(1))
    #expect(child.text(of: .errors).contains("tempo or beat has changed"))
  }
}
