/// Finds the chirps in a signal.
struct ChirpListener: Sendable {
  /// The chirps that were found.
  struct Train: Sendable {
    /// How many samples after its time each is heard, in the middle.
    var lag: Double
    /// The standard deviation of that.
    var deviation: Double
    /// How many were heard.
    var count: Int
  }

  /// How many samples a beat takes, in the middle.
  let period: Double
  private let signal: Signal
  private let beats: [Recording.Beat]
  /// How many samples of the signal there are for one of the filter's.
  private let factor: Int

  /// From when before its time on a chirp may be heard, in seconds, and until when.
  private static let earliest = -0.35
  private static let latest = 1.1
  /// How long before the strongest pulse the first may be: what sound takes for nine metres.
  private static let lookBack = 0.026
  /// The size that a first pulse has at least, of the strongest one's.
  private static let leastPulse = 0.13

  init(_ signal: Signal, _ beats: [Recording.Beat]) {
    (self.signal, self.beats) = (signal, beats)
    period = beats.period
    factor = max(1, Int(signal.rate / 22_000))
  }

  /// The chirps; throws where they are missing or unclear.
  func train() throws(CalibrationRefusal) -> Train {
    let slow = signal.decimated(by: factor)
    // The size of the pulses, without the waves in them: by the chirp, and by the one a quarter of a wave later.
    let filtered = zip(
      slow.correlated(with: Chirp.samples(at: slow.rate)),
      slow.correlated(with: Chirp.samples(at: slow.rate, turned: 0.25))
    ).map { ($0 * $0 + $1 * $1).squareRoot() }
    let factor = Double(factor)
    let played = beats.compactMap { $0.chirp.map { $0 / factor } }
    let silent = zip(beats, beats.dropFirst()).filter { $0.0.chirp == nil }.map {
      ($0.0.frame + $0.1.frame) / 2 / factor
    }
    let first = Int(Self.earliest * slow.rate)
    let count = Int((Self.latest - Self.earliest) * slow.rate)
    let loud = average(filtered, at: played, first, count)
    let quiet = average(filtered, at: silent, first, count)
    // The other device sounds as loud where no chirp was played, and is gone from the difference.
    let excess = (0..<count).map { loud[$0] - quiet[$0] }
    guard let highest = excess.indices.max(by: { excess[$0] < excess[$1] }) else { throw .chirpMissing }
    let noise = excess.deviation
    guard excess[highest] > 7 * noise, loud[highest] > 1.4 * quiet[highest] else { throw .chirpMissing }
    let apart = Int(0.06 * slow.rate)
    let second = excess.indices.filter { ($0 - highest).magnitude > apart }.map { excess[$0] }.max() ?? 0
    guard second < 0.75 * excess[highest] else { throw .chirpUnclear }

    // The first pulse, which need not be the strongest.
    let start = try firstPulse(excess, upTo: highest, rate: slow.rate)
    let place = excess.vertex(at: start)
    let single = played.compactMap {
      shift(of: filtered, at: $0 + Double(first), loud, from: start, to: highest, slow.rate)
    }
    guard single.count * 4 >= played.count * 3 else { throw .chirpMissing }
    let lag = (Double(first) + place + single.median) * factor
    return Train(lag: lag, deviation: single.deviation * factor, count: single.count)
  }

  private func average(_ values: [Double], at places: [Double], _ first: Int, _ count: Int) -> [Double] {
    var sums = [Double](repeating: 0, count: count)
    var counts = [Double](repeating: 0, count: count)
    for place in places {
      let start = Int(place.rounded(.down)) + first
      let part = place - place.rounded(.down)
      for index in 0..<count where start + index >= 0 && start + index + 1 < values.count {
        sums[index] += values[start + index] * (1 - part) + values[start + index + 1] * part
        counts[index] += 1
      }
    }
    return zip(sums, counts).map { $1 > 0 ? $0 / $1 : 0 }
  }

  private func firstPulse(
    _ excess: [Double], upTo highest: Int, rate: Double
  ) throws(CalibrationRefusal) -> Int {
    let back = Int(Self.lookBack * rate)
    let from = max(1, highest - back)
    guard from < highest else { return highest }
    // The noise before all of it, where neither the chirp nor its echo is heard.
    let noise = 5 * excess[max(0, from - 2 * back)..<from].deviation
    let least = max(excess[highest] * Self.leastPulse, noise)
    guard noise < 2 * excess[highest] * Self.leastPulse else { throw .chirpMissing }
    for index in from..<highest
    where excess[index] >= least && excess[index] >= excess[index - 1] && excess[index] >= excess[index + 1] {
      return index
    }
    return highest
  }

  /// How many samples later than the average a single chirp is; `nil` where it is not heard.
  private func shift(
    of values: [Double], at begin: Double, _ average: [Double], from start: Int, to highest: Int,
    _ rate: Double
  ) -> Double? {
    let (before, most) = (Int(0.002 * rate), Int(0.008 * rate))
    let length = highest - start + Int(0.006 * rate)
    let origin = Int(begin.rounded(.down))
    let part = begin - begin.rounded(.down)
    guard start >= before + most, origin + start - before - most >= 0,
      origin + start + length + most < values.count, start + length < average.count
    else { return nil }
    var scores = [Double](repeating: 0, count: 2 * most + 1)
    for shift in -most...most {
      // In proportion to what is heard there: else it would fit best where the loudest of it is.
      var (sum, energy) = (0.0, 0.0)
      for index in start - before..<start + length {
        let value = values[origin + index + shift]
        sum += value * average[index]
        energy += value * value
      }
      scores[shift + most] = energy > 0 ? sum / energy.squareRoot() : 0
    }
    guard let best = scores.indices.max(by: { scores[$0] < scores[$1] }),
      scores[best] > 1.1 * scores.median
    else { return nil }
    return scores.vertex(at: best) - Double(most) - part
  }
}
