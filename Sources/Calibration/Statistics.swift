extension Collection where Element == Double {
  /// The value in the middle; 0 for none.
  var median: Double {
    let sorted = sorted()
    guard let last = sorted.last else { return 0 }
    let middle = sorted.count / 2
    return sorted.count == 1
      ? last : sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
  }

  /// The mean; 0 for none.
  var mean: Double { isEmpty ? 0 : reduce(0, +) / Double(count) }

  /// The standard deviation that the middle half of the values has, if they are spread as usual.
  var deviation: Double {
    let middle = median
    return map { ($0 - middle).magnitude }.median * 1.4826
  }

  /// The mean without the largest twelfth of the values.
  var trimmedMean: Double { sorted().dropLast(count / 12).mean }
}

extension Array where Element == Double {
  /// Where the curve is highest near an index, between two of them if need be.
  func vertex(at index: Int) -> Double {
    guard index > 0, index < count - 1 else { return Double(index) }
    let (left, middle, right) = (self[index - 1], self[index], self[index + 1])
    let bend = left - 2 * middle + right
    guard bend < 0 else { return Double(index) }
    return Double(index) + Swift.max(-0.5, Swift.min(0.5, 0.5 * (left - right) / bend))
  }
}
