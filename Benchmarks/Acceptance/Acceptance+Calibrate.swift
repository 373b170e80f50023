import Stage

extension Acceptance {
  /// How near the offset that `jackstay calibrate` finds is to the delay that was put in, with LinkHut as the other device.
  static func calibrate() throws -> [Figure] {
    let room = try CalibrationRoom()
    let hut = try room.enterHut()
    defer { hut.end() }
    var errors: [Double] = []
    let count = 10
    for number in 0..<count {
      // From -105 to 120 ms.
      let (others, own) = (7_200, 1_440 + 1_200 * number)
      let words = ["--beats", "32", "--yes"]
      guard let calibration = try room.calibration(words, others: others, own: own, { _ in false }),
        let offset = CalibrationRoom.offset(setBy: calibration)
      else { continue }
      errors.append(abs(offset - Double(others - own) / 48))
    }
    return [
      Figure(
        name: "calibrations against a room's delay: offsets that are found", met: errors.count, of: count),
      Figure(
        name: "the largest error of these offsets", value: errors.max(), limit: 1, unit: "ms"),
    ]
  }
}
