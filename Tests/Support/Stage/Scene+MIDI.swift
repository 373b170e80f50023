extension Scene {
  /// Has the probe hear the bridge's MIDI clock from here on.
  public func hearMIDIClock() throws(StageError) {
    let reports = try probe.send("midi jackstay:midi_clock")
    guard reports.contains(where: { $0["rc"] == 0 }) else {
      throw .unusable("the bridge has no MIDI clock to connect to: \(reports)")
    }
  }

  /// The whole MIDI clock so far.
  public func midiRecording() throws(StageError) -> MIDIRecording {
    // Messages that are under way have been written then.
    try probe.send("wait 0.2")
    return MIDIRecording(probe.reports)
  }

  /// Has what rolls go through all that a MIDI clock has to bear, evenly spread.
  ///
  /// - Parameters:
  ///   - seconds: How long there is nothing in between, in all.
  ///   - tempos: How often a peer changes the tempo.
  ///   - relocations: How often a program locates.
  ///   - stalls: How often the server stands still for a tenth of a second.
  /// - Throws: ``StageError`` when it rolls no more, or something has ended.
  public func playThrough(
    seconds: Double, tempos: Int, relocations: Int, stalls: Int
  ) throws(StageError) {
    enum Event { case tempo, relocation, stall }
    var events: [(time: Double, event: Event)] = []
    for (event, count) in [(Event.tempo, tempos), (.relocation, relocations), (.stall, stalls)] {
      for index in 0..<count { events.append(((Double(index) + 0.5) / Double(count), event)) }
    }
    let pause = seconds / Double(events.count + 1)
    for (index, one) in events.sorted(by: { $0.time < $1.time }).enumerated() {
      try probe.send("wait \(pause)")
      switch one.event {
      case .tempo: try probe.send("tempo \([97.3, 180, 63, 240, 131.71, 120][index % 6])")
      case .relocation: try probe.send("locate \([0, 1_234_567, 480_000, 77_777][index % 4])")
      case .stall: try stall(milliseconds: 100)
      }
      guard try probe.awaitState("rolling", seconds: 30) else { throw .unusable("it rolls no more") }
    }
    try probe.send("wait \(pause)")
  }
}
