import Foundation
import MusicalTime
import Rehearsal
import Testing

@testable import Calibration

/// The offset that is found in the sound of a session in a room.
@Suite struct CalibrationTests {
  private static let rates = [44_100.0, 44_100, 48_000, 48_000, 48_000, 48_000, 88_200, 96_000, 192_000]
  /// 20 offsets, in seconds.
  static let offsets = (0..<20).map { -0.120 + 0.240 * Double($0) / 19 }

  /// Some room, with a direct path that is weaker than a reflection if that is wanted.
  private static func room(isWeak: Bool, _ dice: inout Dice) -> Room {
    Room(
      direct: isWeak ? dice.next(0.5...0.8) : 1,
      strongest: isWeak ? (dice.next(0.002...0.015), dice.pick([-1, 1])) : nil,
      reverberation: dice.next(0.15...0.5), &dice)
  }

  /// Anything that may be found in a rehearsal room.
  static func rehearsal(_ dice: inout Dice) -> Rehearsal {
    var scene = Rehearsal()
    scene.rate = dice.pick(rates)
    scene.bpm = dice.next(60...180)
    scene.sound = dice.pick(OtherSound.allCases)
    scene.offset = dice.next(-0.120...0.120)
    scene.microphone = dice.next(0...0.03)
    scene.others = scene.microphone + dice.next(0...0.04)
    scene.signalToNoise = dice.pick([6, 6, 12, 30])
    scene.ownLevel = dice.pick([0.3, 1, 2])
    scene.colour = dice.pick([0, 0, 0.8, 0.95])
    scene.constant = dice.pick([0, 0, 0.1])
    scene.jitter = dice.pick([0, 0, 0.0005])
    let kind = dice.pick([0, 1, 2])
    if kind > 0 {
      scene.ownRoom = room(isWeak: kind == 2, &dice)
      scene.othersRoom = room(isWeak: kind == 2, &dice)
    }
    return scene
  }

  /// How far off the offset that is found is, in milliseconds; nil where none is.
  private func error(_ scene: Rehearsal, _ dice: inout Dice) -> Double? {
    (try? Calibration.result(of: scene.recording(&dice))).map {
      ($0.offset.milliseconds - scene.offset * 1000).magnitude
    }
  }

  /// The reason why there is none.
  private func refusal(_ scene: Rehearsal, seed: UInt64 = 1) throws -> CalibrationRefusal {
    var dice = Dice(seed)
    let recording = scene.recording(&dice)
    return try #require(throws: CalibrationRefusal.self) { try Calibration.result(of: recording) }
  }

  @Test(arguments: 0..<8)
  func `An offset is right to a millisecond in any room, or refused`(part: Int) {
    var found = 0
    for number in 0..<25 {
      let seed = UInt64(part * 1000 + number + 1)
      var dice = Dice(seed)
      let scene = Self.rehearsal(&dice)
      guard let error = error(scene, &dice) else { continue }
      #expect(error < 1, "seed \(seed): \(scene)")
      found += 1
    }
    // One that refused all would never be wrong.
    #expect(found >= 18, "\(found) of 25 were found")
  }

  @Test(arguments: CalibrationTests.offsets)
  func `Offsets from -120 to 120 ms are found in noise and a room`(offset: Double) throws {
    var dice = Dice(UInt64((offset + 1) * 1e6))
    var scene = Rehearsal()
    scene.offset = offset
    scene.bpm = dice.next(60...180)
    scene.sound = dice.pick([.sine, .noise, .drum, .block])
    scene.beats = 48
    (scene.ownRoom, scene.othersRoom) = (Self.room(isWeak: false, &dice), Self.room(isWeak: false, &dice))
    scene.signalToNoise = 6
    let result = try Calibration.result(of: scene.recording(&dice))
    #expect((result.offset.milliseconds - offset * 1000).magnitude < 1, "\(scene)")
    #expect(result.spread.milliseconds < 0.5 && result.bound.milliseconds <= 1.1)
    #expect(result.chirps >= 18 && result.beats >= 18)
  }

  @Test(
    arguments: zip(
      [44_100.0, 44_100, 48_000, 48_000, 64_000, 88_200, 96_000, 176_400, 192_000],
      [60.0, 180, 120, 60, 120, 180, 60, 120, 180]))
  func `At each rate and tempo the error is a tenth of a millisecond where it is quiet`(
    rate: Double, bpm: Double
  ) throws {
    var dice = Dice(UInt64(rate + bpm))
    var scene = Rehearsal()
    (scene.rate, scene.bpm, scene.offset, scene.signalToNoise) = (rate, bpm, 0.0333, 40)
    scene.beats = 24
    let result = try Calibration.result(of: scene.recording(&dice))
    #expect((result.offset.milliseconds - 33.3).magnitude < 0.1)
    #expect(result.spread.milliseconds < 0.3 && !result.isClipped)
  }

  @Test func `A train that is missing is named, and so is silence`() throws {
    var scene = Rehearsal()
    scene.hasOther = false
    for seed in 1...5 as ClosedRange<UInt64> { #expect(try refusal(scene, seed: seed) == .otherMissing) }
    scene.hasOther = true
    scene.hasOwn = false
    for seed in 1...5 as ClosedRange<UInt64> { #expect(try refusal(scene, seed: seed) == .chirpMissing) }
    scene.hasOther = false
    for seed in 1...5 as ClosedRange<UInt64> { #expect(try refusal(scene, seed: seed) == .nothingHeard) }
    scene.signalToNoise = nil
    #expect(try refusal(scene) == .silent)
    scene.constant = 0.3
    #expect(try refusal(scene) == .silent)
  }

  @Test(arguments: [0.5, 0.97, 0.9993, 1.0007, 1.01, 1.5, 2])
  func `Another device in another tempo is no beat`(tempo: Double) throws {
    for sound in [OtherSound.sine, .noise, .drum] {
      var scene = Rehearsal()
      (scene.othersTempo, scene.sound, scene.beats) = (tempo, sound, 48)
      let reason = try refusal(scene)
      #expect(
        [.otherMissing, .otherUnclear, .otherIrregular, .otherTempo, .otherFaint].contains(reason)
          || reason.isScattered, "\(reason)")
    }
  }

  @Test func `A device that clicks on every second beat is not heard with each`() throws {
    var scene = Rehearsal()
    (scene.everySecond, scene.signalToNoise) = (true, 30)
    #expect(try refusal(scene) == .otherIrregular)
  }

  @Test func `Beats that differ by more than 2 ms have no offset`() throws {
    for seed in 1...5 as ClosedRange<UInt64> {
      var scene = Rehearsal()
      (scene.jitter, scene.signalToNoise, scene.beats) = (0.008, 30, 48)
      let reason = try refusal(scene, seed: seed)
      #expect(reason.isScattered || reason == .otherIrregular || reason == .otherTempo, "\(reason)")
    }
  }

  @Test func `A signal that is cut off has the same offset, and a note`() throws {
    var dice = Dice(3)
    var scene = Rehearsal()
    (scene.clip, scene.offset, scene.signalToNoise, scene.ownLevel) = (1, -0.021, 20, 2)
    let result = try Calibration.result(of: scene.recording(&dice))
    #expect(result.isClipped && (result.offset.milliseconds + 21).magnitude < 1)
  }

  @Test func `Samples that are no numbers are left out where they are few, and else refused`() throws {
    var dice = Dice(4)
    var scene = Rehearsal()
    scene.offset = 0.017
    var recording = scene.recording(&dice)
    for index in stride(from: 100, to: recording.samples.count, by: 20_011) {
      recording.samples[index] = [Float.nan, .infinity, -.infinity, 1e30][index % 4]
    }
    let offset = try Calibration.result(of: recording).offset
    #expect((offset.milliseconds - 17).magnitude < 1)
    for index in stride(from: 0, to: recording.samples.count, by: 100) { recording.samples[index] = .nan }
    #expect(throws: CalibrationRefusal.unreadable) { try Calibration.result(of: recording) }
    recording.samples = []
    #expect(throws: CalibrationRefusal.silent) { try Calibration.result(of: recording) }
  }

  @Test func `Clicks that fall together, or may be half a beat apart, are refused`() throws {
    var scene = Rehearsal()
    scene.signalToNoise = 30
    // Half a beat late: the chirp sounds with the next click.
    (scene.bpm, scene.offset) = (180, -0.160)
    for offset in [-0.160, -0.1667, 0.160] {
      scene.offset = offset
      #expect(throws: CalibrationRefusal.self) {
        var dice = Dice(9)
        return try Calibration.result(of: scene.recording(&dice))
      }
    }
    // Late by more than half a beat: the nearest click is the next beat's, by which the offset would be positive.
    for offset in [-0.25, -0.30] {
      scene.offset = offset
      #expect(try refusal(scene) == .ambiguous)
    }
    // In a slower tempo it is found.
    scene.bpm = 70
    var dice = Dice(9)
    #expect(try (Calibration.result(of: scene.recording(&dice)).offset.milliseconds + 300).magnitude < 1)
  }

  @Test func `Any recording at all is refused or has an offset, and nothing traps`() {
    var dice = Dice(77)
    for _ in 0..<200 {
      let count = Int(dice.next(0...40_000))
      let samples = (0..<count).map { _ in Float(dice.pick([0, 1e-9, 1, -1, .nan, .infinity, dice.normal()]))
      }
      var frame = dice.pick([0, -1e5, 1e9, dice.next(0...1e4)])
      let step = dice.pick([0, 1, 9_600, 24_000, 1e300, .nan, -500])
      let beats = (0..<Int(dice.next(0...60))).map { number in
        frame += step
        return Recording.Beat(
          frame: frame, chirp: number & 4 != 0 ? dice.pick([frame, frame + step / 2, .nan, -1e9, 1e18]) : nil)
      }
      _ = try? Calibration.result(
        of: Recording(
          samples: samples, rate: .standard, beats: beats,
          captureLatency: dice.pick([0, .nan, 1e12, -5])))
    }
  }

  @Test func `Each reason is in at most two short sentences`() {
    let time = HostInterval.milliseconds(12.34)
    let reasons: [CalibrationRefusal] = [
      .silent, .unreadable, .unusableBeats, .nothingHeard, .chirpMissing, .chirpUnclear, .otherMissing,
      .otherUnclear, .otherIrregular, .otherTempo, .otherSoft(time), .otherFaint, .together, .ambiguous,
      .scattered(time),
    ]
    for reason in reasons {
      let text = reason.description
      #expect(text.count <= 160 && text.split(separator: ". ").count <= 2, "\(text.count): \(text)")
    }
    #expect(CalibrationRefusal.scattered(time).description.contains("12.34 ms"))
  }
}

extension CalibrationRefusal {
  fileprivate var isScattered: Bool { if case .scattered = self { true } else { false } }
}
