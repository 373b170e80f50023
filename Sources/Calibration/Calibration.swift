import MusicalTime

/// Finds by how much JACK is heard too early or too late, in what a microphone has heard.
///
/// The session's beats are a line in the recording. The microphone hears the other device's click somewhere after each
/// beat, and JACK's chirp somewhere after the half beats for which it was played. How long the sound takes from the
/// microphone to the recording counts for both, and so it does not count: JACK is late by the difference of the two.
///
/// | what | how it is found |
/// |---|---|
/// | the chirp | by a matched filter: the first pulse that is no noise, where chirps were played and not elsewhere |
/// | the other click | by its energy, of which nothing else is known: where it begins to rise, in the beats without chirps |
public enum Calibration {
  /// The least number of beats that a recording needs.
  public static let fewestBeats = 16
  /// The largest spread with which there is an offset.
  public static let mostSpread = HostInterval.milliseconds(2)
  /// The largest doubt about the beginning of the other click with which there is one.
  static let mostDoubt = 0.001
  /// The least distance of the two clicks, in seconds.
  static let leastGap = 0.038

  /// The offset that a recording shows.
  ///
  /// Takes about a thirtieth of the recording's length. Thread-safe. Realtime-safe: no.
  ///
  /// - Parameter recording: The recording.
  /// - Returns: The offset to be set where none was set while it was recorded.
  /// - Throws: ``CalibrationRefusal`` where it shows none for certain.
  public static func result(of recording: Recording) throws(CalibrationRefusal) -> CalibrationResult {
    let hertz = recording.rate.hertz
    try check(recording)
    let (signal, isClipped) = try signal(of: recording)
    let factor = hertz / signal.rate
    let beats = recording.beats.map {
      Recording.Beat(frame: $0.frame / factor, chirp: $0.chirp.map { $0 / factor })
    }
    let listener = ChirpListener(signal, beats)
    var heard: ChirpListener.Train?
    var refusal: CalibrationRefusal?
    do throws(CalibrationRefusal) { heard = try listener.train() } catch { refusal = error }
    let other: ClickListener.Train
    do throws(CalibrationRefusal) {
      other = try ClickListener(signal, beats, chirpsAt: heard?.lag).train()
    } catch {
      if let refusal { throw error == .otherMissing && refusal == .chirpMissing ? .nothingHeard : refusal }
      throw error
    }
    guard let heard else { throw refusal ?? .chirpMissing }

    let period = listener.period
    // The other click after a beat, as near to the chirp after its half beat as it can be.
    let turns = ((heard.lag - other.lag) / period).rounded()
    let otherLag = other.lag + turns * period
    let late = heard.lag - otherLag
    let rate = signal.rate
    guard period / 2 - late.magnitude >= leastGap * rate else { throw .together }
    // The same by how long the other device and the microphone may take.
    let own = otherLag - recording.captureLatency / factor
    guard own >= -period * 0.4, own <= period * 0.7 else { throw .ambiguous }
    let spread = (heard.deviation * heard.deviation + other.deviation * other.deviation).squareRoot()
    guard let offset = HostInterval(milliseconds: -late / rate * 1000),
      let spread = HostInterval(milliseconds: spread / rate * 1000),
      let bound = HostInterval(milliseconds: (other.doubt / rate + 0.000_1) * 1000)
    else { throw .ambiguous }
    guard spread <= mostSpread else { throw .scattered(spread) }
    return CalibrationResult(
      offset: offset, spread: spread, bound: bound, beats: other.count, chirps: heard.count,
      isClipped: isClipped)
  }

  private static func check(_ recording: Recording) throws(CalibrationRefusal) {
    let beats = recording.beats
    guard beats.count >= fewestBeats, beats.count(where: { $0.chirp != nil }) >= 4 else {
      throw .unusableBeats
    }
    for (beat, next) in zip(beats, beats.dropFirst()) {
      let seconds = (next.frame - beat.frame) / recording.rate.hertz
      guard (0.2...3).contains(seconds) else { throw .unusableBeats }
    }
  }

  /// The samples as finite numbers, at 44 to 88 kHz, and whether they are cut off.
  private static func signal(
    of recording: Recording
  ) throws(CalibrationRefusal) -> (signal: Signal, isClipped: Bool) {
    let count = recording.samples.count
    var samples = [Double](repeating: 0, count: count)
    var (faults, sum, peak, atPeak) = (0, 0.0, Float(0), 0)
    for (index, sample) in recording.samples.enumerated() {
      // A sample that is a thousand times as large as full scale is no sound either.
      guard sample.isFinite, sample.magnitude < 1000 else {
        faults += 1
        continue
      }
      samples[index] = Double(sample)
      sum += Double(sample)
      peak = max(peak, sample.magnitude)
    }
    guard count > 0, faults * 1000 < count else { throw count > 0 ? .unreadable : .silent }
    for sample in recording.samples where sample.magnitude >= peak * 0.9999 { atPeak += 1 }
    let mean = sum / Double(count)
    var energy = 0.0
    for index in samples.indices {
      samples[index] -= mean
      energy = max(energy, samples[index].magnitude)
    }
    guard energy > 1e-4 else { throw .silent }
    let isClipped = peak >= 0.999 && atPeak >= max(8, recording.beats.count)
    let factor = max(1, Int(recording.rate.hertz / 44_000))
    return (Signal(samples: samples, rate: recording.rate.hertz).decimated(by: factor), isClipped)
  }
}
