import Glibc

/// A signal of one channel, as a calibration looks at it: finite, without its mean, at a moderate rate.
struct Signal: Sendable {
  /// The samples.
  var samples: [Double]
  /// How many of them are in a second.
  var rate: Double

  /// The signal with every `factor`-th sample alone, and without what cannot be had at that rate.
  ///
  /// A sample stays at its time.
  func decimated(by factor: Int) -> Signal {
    guard factor > 1, !samples.isEmpty else { return self }
    let reach = 10 * factor
    let cutoff = 0.45 / Double(factor)
    var taps = (-reach...reach).map { place -> Double in
      let x = Double(place)
      let sinc = place == 0 ? 2 * cutoff : sin(2 * .pi * cutoff * x) / (.pi * x)
      return sinc * (0.5 + 0.5 * cos(.pi * x / Double(reach + 1)))
    }
    let sum = taps.reduce(0, +)
    for index in taps.indices { taps[index] /= sum }
    let count = samples.count / factor
    var result = [Double](repeating: 0, count: count)
    samples.withUnsafeBufferPointer { samples in
      taps.withUnsafeBufferPointer { taps in
        for index in 0..<count {
          let center = index * factor
          let first = max(0, center - reach)
          let last = min(samples.count - 1, center + reach)
          guard first <= last else { continue }
          var sum = 0.0
          for place in first...last { sum += samples[place] * taps[place - center + reach] }
          result[index] = sum
        }
      }
    }
    return Signal(samples: result, rate: rate / Double(factor))
  }

  /// The correlation with a sound at each sample, by which the sound may begin there.
  func correlated(with sound: [Double]) -> [Double] {
    guard samples.count > sound.count else { return [Double](repeating: 0, count: samples.count) }
    let count = samples.count
    var result = [Double](repeating: 0, count: count)
    let sound = sound.map { Float($0) }
    let samples = samples.map { Float($0) }
    samples.withUnsafeBufferPointer { samples in
      sound.withUnsafeBufferPointer { sound in
        guard let samples = samples.baseAddress, let first = sound.baseAddress else { return }
        for index in 0..<count - sound.count {
          // Eight sums side by side, which the processor adds at once.
          var sums = SIMD8<Float>(repeating: 0)
          var place = 0
          while place + 8 <= sound.count {
            let base = UnsafeRawPointer(samples + index + place)
            let other = UnsafeRawPointer(first + place)
            sums +=
              base.loadUnaligned(as: SIMD8<Float>.self) * other.loadUnaligned(as: SIMD8<Float>.self)
            place += 8
          }
          var sum = sums.sum()
          while place < sound.count {
            sum += samples[index + place] * sound[place]
            place += 1
          }
          result[index] = Double(sum)
        }
      }
    }
    return result
  }

  /// The signal after a filter that makes the noise in it white: what is new in each sample.
  ///
  /// The filter looks at samples that have passed alone, so that nothing begins earlier.
  func whitened(order: Int = 20) -> Signal {
    let coefficients = predictor(order: order)
    var result = [Double](repeating: 0, count: samples.count)
    samples.withUnsafeBufferPointer { samples in
      for index in order..<max(order, samples.count) {
        var sum = samples[index]
        for place in 0..<order { sum -= coefficients[place] * samples[index - 1 - place] }
        result[index] = sum
      }
    }
    return Signal(samples: result, rate: rate)
  }

  /// How a sample of the noise follows from those before it: by the quieter half of the signal.
  private func predictor(order: Int) -> [Double] {
    let length = max(order + 1, Int(rate * 0.02))
    let frames = samples.count / length
    guard frames > 1 else { return [Double](repeating: 0, count: order) }
    let energies = (0..<frames).map { frame in
      samples[frame * length..<(frame + 1) * length].reduce(0) { $0 + $1 * $1 }
    }
    let limit = energies.sorted()[frames / 2]
    var correlation = [Double](repeating: 0, count: order + 1)
    for frame in 0..<frames where energies[frame] <= limit {
      let first = frame * length
      for lag in 0...order {
        var sum = 0.0
        for index in first + lag..<first + length { sum += samples[index] * samples[index - lag] }
        correlation[lag] += sum
      }
    }
    guard correlation[0] > 0 else { return [Double](repeating: 0, count: order) }
    // A little white noise: a pure hum has no predictor otherwise.
    correlation[0] *= 1.0001
    var coefficients = [Double](repeating: 0, count: order)
    var error = correlation[0]
    for step in 0..<order {
      var sum = correlation[step + 1]
      for place in 0..<step { sum -= coefficients[place] * correlation[step - place] }
      let reflection = sum / error
      let before = coefficients
      coefficients[step] = reflection
      for place in 0..<step { coefficients[place] = before[place] - reflection * before[step - 1 - place] }
      error *= 1 - reflection * reflection
      if error <= 0 { break }
    }
    return coefficients
  }
}

/// The energy of a signal in any stretch of it, also between two samples.
struct EnergyCurve: Sendable {
  private let sums: [Double]

  init(_ samples: [Double]) {
    var sums = [0.0]
    sums.reserveCapacity(samples.count + 1)
    var sum = 0.0
    for sample in samples {
      sum += sample * sample
      sums.append(sum)
    }
    self.sums = sums
  }

  /// The mean energy of a sample from `start` to `end`; `nil` where that is not all in the signal.
  func mean(from start: Double, to end: Double) -> Double? {
    guard start >= 0, end > start, end <= Double(sums.count - 1) else { return nil }
    return (sum(to: end) - sum(to: start)) / (end - start)
  }

  private func sum(to place: Double) -> Double {
    let index = min(Int(place), sums.count - 2)
    let part = place - Double(index)
    return sums[index] + (sums[index + 1] - sums[index]) * part
  }
}
