extension String {
  /// The candidate this was probably meant to be: the one with the fewest typing errors, when they are few.
  ///
  /// Letters of the other case and `_` for `-` are no errors.
  public func nearest(of candidates: [String]) -> String? {
    // Nothing that long is a misspelt option, and the distance costs the product of the lengths.
    guard unicodeScalars.prefix(33).count <= 32 else { return nil }
    let typed = normalized
    return
      candidates
      .map { (candidate: $0, distance: typed.typingErrors(from: $0.normalized)) }
      .filter { $0.distance <= max(1, min(unicodeScalars.count, $0.candidate.unicodeScalars.count) / 3) }
      .min { $0.distance < $1.distance }?.candidate
  }

  private var normalized: [Character] { lowercased().map { $0 == "_" ? "-" : $0 } }
}

extension [Character] {
  /// The letters to insert, delete, replace or swap with their neighbour to get from `other` to this.
  fileprivate func typingErrors(from other: [Character]) -> Int {
    var beforePrevious: [Int] = []
    var previous = Array<Int>(0...other.count)
    for i in indices {
      var current = [i + 1]
      for j in other.indices {
        let replacement = previous[j] + (self[i] == other[j] ? 0 : 1)
        var errors = Swift.min(replacement, current[j] + 1, previous[j + 1] + 1)
        if i > 0, j > 0, self[i] == other[j - 1], self[i - 1] == other[j] {
          errors = Swift.min(errors, beforePrevious[j - 1] + 1)
        }
        current.append(errors)
      }
      (beforePrevious, previous) = (previous, current)
    }
    return previous[other.count]
  }
}
