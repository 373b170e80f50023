/// A complex number that turns and shrinks: the sound of a struck body.
struct Spiral: Sendable, BitwiseCopyable {
  var re: Double
  var im: Double

  @_noLocks
  init(re: Double, im: Double) {
    self.re = re
    self.im = im
  }

  /// The product of two numbers, which adds their angles.
  @inline(__always) @_noLocks
  static func * (lhs: Spiral, rhs: Spiral) -> Spiral {
    Spiral(re: lhs.re * rhs.re - lhs.im * rhs.im, im: lhs.re * rhs.im + lhs.im * rhs.re)
  }

  /// The sum of two numbers.
  @inline(__always) @_noLocks
  static func + (lhs: Spiral, rhs: Spiral) -> Spiral { Spiral(re: lhs.re + rhs.re, im: lhs.im + rhs.im) }

  /// The exponential function: 1 after a decay, in natural units, and a turn, in radians; both from 0 to 8.
  ///
  /// Realtime-safe, and exact to some 1e-15: the system's own functions may use tables that are made at their
  /// first call.
  @_noLocks
  static func exponential(decay: Double, angle: Double) -> Spiral {
    // An eighth of it, by a series of which 16 terms are enough, three times squared.
    let step = Spiral(re: -decay / 8, im: angle / 8)
    var term = Spiral(re: 1, im: 0)
    var sum = term
    var index = 1.0
    while index <= 20 {
      let next = term * step
      term = Spiral(re: next.re / index, im: next.im / index)
      sum = sum + term
      index += 1
    }
    let square = sum * sum
    let fourth = square * square
    return fourth * fourth
  }
}
