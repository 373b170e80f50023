import Stage

extension Acceptance {
  /// Ten minutes of a song with 60 changes of the tempo, 20 locates and 5 stalls, as a follower of the MIDI
  /// clock counts it.
  static func midi() throws -> [Figure] {
    let scene = try Scene(flags: ["--midi-clock", "rolling", "--midi-clock-position", "always"])
    defer { scene.end() }
    try scene.hearMIDIClock()
    try scene.join()
    try scene.roll()
    try scene.playThrough(seconds: 600, tempos: 60, relocations: 20, stalls: 5)
    try scene.rest()
    let recording = try scene.midiRecording()
    for fault in recording.faults { remark("MIDI clock: \(fault)") }
    let judgement = recording.judged()
    if judgement.worst > 1 { remark("MIDI clock: \(judgement.about)") }
    return [
      Figure(
        name: "MIDI clocks lost, of \(judgement.clocks)", value: Double(judgement.lost), limit: 0, unit: ""),
      Figure(name: "MIDI clocks too many", value: Double(judgement.extra), limit: 0, unit: ""),
      Figure(
        name: "words against the rules of MIDI", value: Double(recording.faults.count), limit: 0, unit: ""),
      Figure(
        name: "a MIDI clock off JACK's position, worst", value: judgement.worst, limit: 1, unit: "frames"),
      Figure(
        name: "MIDI clocks off Link, median of \(judgement.late.count)", value: judgement.late.median,
        limit: 20, unit: "us"),
    ]
  }
}
