import Glibc
import MusicalTime

/// Finds the clicks of another device in a signal, of whose sound nothing is known.
struct ClickListener: Sendable {
  /// The clicks that were found.
  struct Train: Sendable {
    /// How many samples after its beat each begins, in the middle: up to half a beat, negative before it.
    var lag: Double
    /// The standard deviation of that.
    var deviation: Double
    /// How far off the beginning may be, because the sound does not begin at once.
    var doubt: Double
    /// How many were heard.
    var count: Int
  }

  private let rate: Double
  private let energy: EnergyCurve
  private let beats: [Recording.Beat]
  private let period: Double
  /// The samples between two of which a chirp is heard.
  private let chirps: [(from: Double, to: Double)]

  /// How long a chirp is heard in a room, in seconds.
  private static let ringing = 0.3
  /// A step of the curve, and the width of its windows, in seconds.
  private static let step = 0.000_25
  private static let fineStep = 0.000_05
  private static let fineWidth = 0.000_4
  /// The least energy of a first sound, of the strongest one's.
  private static let leastSound = 0.05

  /// Listens to a signal in which chirps are heard so many samples after their time; `nil` if they are not.
  init(_ signal: Signal, _ beats: [Recording.Beat], chirpsAt lag: Double?) {
    rate = signal.rate
    energy = EnergyCurve(signal.whitened().samples)
    self.beats = beats
    period = beats.period
    let rate = signal.rate
    chirps =
      lag.map { lag in
        beats.compactMap {
          $0.chirp.map { ($0 + lag - 0.004 * rate, $0 + lag + Self.ringing * rate) }
        }
      } ?? []
  }

  /// The clicks; throws where they are missing or unclear.
  func train() throws(CalibrationRefusal) -> Train {
    let origins = beats.map(\.frame)
    let width = Self.step * rate
    let count = Int(period / width)
    let curve = average(origins, from: 0, count: count, width: width)
    guard curve.allSatisfy({ $0 > 0 }) || curve.contains(where: { $0 > 0 }) else { throw .otherMissing }
    let rise = try rise(in: curve)
    let coarse = Double(rise) * width
    // Each beat by itself, against the average; then once more with the beats where they are.
    var shifts = self.shifts(origins, coarse)
    let nearer = zip(origins, shifts).map { $0 + ($1 ?? 0) }
    shifts = zip(shifts, self.shifts(nearer, coarse)).map { first, second in
      first.flatMap { first in second.map { first + $0 } }
    }
    let present = shifts.compactMap(\.self)
    let judged = judgedCount(origins, coarse)
    guard judged >= 6 else { throw .otherMissing }
    guard present.count * 4 >= judged * 3 else { throw .otherIrregular }
    try checkTempo(shifts)
    let (begin, doubt) = try beginning(align(origins, shifts), coarse)
    var lag = begin + present.median
    lag -= (lag / period).rounded() * period
    return Train(lag: lag, deviation: present.deviation, doubt: doubt, count: present.count)
  }

  /// Whether no chirp is heard in a stretch.
  private func isFree(_ from: Double, _ to: Double) -> Bool {
    chirps.allSatisfy { to <= $0.from || from >= $0.to }
  }

  /// The mean energy after the origins, in windows one after the other.
  private func average(_ origins: [Double], from: Double, count: Int, width: Double, step: Double? = nil)
    -> [Double]
  {
    let step = step ?? width
    return (0..<count).map { index in
      let place = from + Double(index) * step
      let values = origins.compactMap { origin -> Double? in
        let start = origin + place
        return isFree(start, start + width) ? energy.mean(from: start, to: start + width) : nil
      }
      return values.trimmedMean
    }
  }

  /// Where in a beat the energy rises most, as an index of the curve.
  private func rise(in curve: [Double]) throws(CalibrationRefusal) -> Int {
    let count = curve.count
    let reach = Int(0.008 / Self.step)
    let floor = curve.sorted()[count / 3]
    // By how much the energy is larger after a place than before: at most where it is largest, and in proportion where
    // it begins.
    var rises = [Double](repeating: 0, count: count)
    var ratios = rises
    for index in 0..<count {
      var (after, before) = (0.0, 0.0)
      for place in 0..<reach {
        after += curve[(index + place) % count]
        before += curve[(index + count - 1 - place) % count]
      }
      rises[index] = (after - before) / Double(reach)
      ratios[index] = (after + floor * Double(reach)) / (before + floor * Double(reach))
    }
    let most = rises.max() ?? 0
    guard most > 0, most > 0.25 * floor, most > 8 * rises.deviation || most > floor else {
      throw .otherMissing
    }
    let able = rises.indices.filter { rises[$0] > 0.2 * most }
    guard let best = able.max(by: { ratios[$0] < ratios[$1] }) else { throw .otherMissing }
    let apart = Int(0.045 / Self.step)
    for index in able where rises[index] > 0.35 * most && ratios[index] - 1 > 0.35 * (ratios[best] - 1) {
      let distance = (index - best).magnitude
      if min(Int(distance), count - Int(distance)) > apart { throw .otherUnclear }
    }
    return best
  }

  private static let before = 0.006
  private static let after = 0.014
  private static let most = 0.010

  private func judgedCount(_ origins: [Double], _ coarse: Double) -> Int {
    origins.count { window(of: $0, coarse) != nil }
  }

  /// The energies around where a beat's click is expected; `nil` where a chirp is heard there.
  private func window(of origin: Double, _ coarse: Double) -> [Double]? {
    let from = origin + coarse - (Self.before + Self.most) * rate
    let to = origin + coarse + (Self.after + Self.most) * rate
    let width = Self.step * rate
    guard from >= 0, isFree(from, to), energy.mean(from: from, to: to) != nil else { return nil }
    return (0..<Int((to - from) / width)).map {
      let place = from + Double($0) * width
      return energy.mean(from: place, to: place + width) ?? 0
    }
  }

  /// How many samples later than the average each beat's click is; `nil` where none is heard, or may be judged.
  ///
  /// The likeliest, if energies are spread about those of the average as noise is: what is loud where it is quiet in the
  /// average tells most.
  private func shifts(_ origins: [Double], _ coarse: Double) -> [Double?] {
    let windows = origins.map { window(of: $0, coarse) }
    let known = windows.compactMap(\.self)
    guard let count = known.map(\.count).min(), !known.isEmpty else { return origins.map { _ in nil } }
    let most = Int(Self.most / Self.step)
    let quiet = Int((Self.before + Self.most) / Self.step) * 2 / 3
    let average = (0..<count).map { index in known.map { $0[index] }.trimmedMean }
    let floor = average.prefix(quiet).mean
    let loud = average.dropFirst(quiet).reduce(0) { $0 + max(0, $1 - floor) }
    guard floor > 0, loud > 0 else { return origins.map { _ in nil } }
    let expected = (-most..<count + most).map { max(floor, average[max(0, min(count - 1, $0))]) }
    let (inverses, logarithms) = (expected.map { 1 / $0 }, expected.map { log($0) })
    return windows.map { window in
      guard let window else { return nil }
      var scores = [Double](repeating: 0, count: 2 * most + 1)
      for shift in -most...most {
        var sum = 0.0
        for index in 0..<count {
          let place = index - shift + most
          sum -= logarithms[place] + min(window[index] * inverses[place], 40)
        }
        scores[shift + most] = sum
      }
      guard let best = scores.indices.max(by: { scores[$0] < scores[$1] }) else { return nil }
      let begin = max(0, quiet + best - most)
      let heard = window[begin..<min(count, begin + count - quiet)].reduce(0) { $0 + $1 - floor }
      guard heard > 0.25 * loud else { return nil }
      return (scores.vertex(at: best) - Double(most)) * Self.step * rate
    }
  }

  private func align(_ origins: [Double], _ shifts: [Double?]) -> [Double] {
    zip(origins, shifts).compactMap { origin, shift in shift.map { origin + $0 } }
  }

  /// Throws where the clicks come later and later, or earlier and earlier.
  private func checkTempo(_ shifts: [Double?]) throws(CalibrationRefusal) {
    let points = shifts.enumerated().compactMap { number, shift in shift.map { (Double(number), $0) } }
    guard points.count > 4 else { return }
    let third = points.count / 3
    let early = points.prefix(third).map(\.1).median
    let late = points.suffix(third).map(\.1).median
    if (late - early).magnitude > 0.002 * rate { throw .otherTempo }
  }

  /// Where the clicks begin after their beats, and how far off that may be.
  private func beginning(
    _ origins: [Double], _ coarse: Double
  ) throws(CalibrationRefusal) -> (begin: Double, doubt: Double) {
    let (step, width) = (Self.fineStep * rate, Self.fineWidth * rate)
    let from = coarse - 0.045 * rate
    let curve = average(origins, from: from, count: Int(0.07 / Self.fineStep), width: width, step: step)
    // Where the search begins: 25 ms before the steepest rise.
    let start = Int(0.020 / Self.fineStep)
    let quiet = curve[..<start]
    let (floor, noise) = (quiet.mean, quiet.deviation)
    let peak = curve[start...].max() ?? 0
    // A sound that is softer than the noise is not seen, and may have been the first.
    guard 4 * noise < Self.leastSound * (peak - floor) else { throw .otherFaint }
    let least = max(4 * noise, Self.leastSound * (peak - floor) / 4)
    let run = Int(1.5 * Self.fineWidth / Self.fineStep)
    guard
      let first = curve.indices.dropFirst(start).first(where: { index in
        index + run < curve.count && (index..<index + run).allSatisfy { curve[$0] - floor > least }
      }),
      let second = curve.indices.dropFirst(first).first(where: {
        curve[$0] - floor > 4 * least || curve[$0] >= peak
      })
    else { throw .otherMissing }
    // A window that the sound fills to a part only is over the limit already.
    let doubt = Double(second - first) * step / 2
    let begin = from + Double(first) * step + width - doubt
    guard doubt <= Calibration.mostDoubt * rate else {
      throw .otherSoft(.init(milliseconds: doubt / rate * 1000) ?? .milliseconds(1000))
    }
    return (begin, doubt)
  }
}
