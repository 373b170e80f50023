import Glibc
import Stage

extension Acceptance {
  /// The first cycle after the server stood still for 100 ms.
  static func stall() throws -> [Figure] {
    try periods.flatMap { period in
      let scene = try Scene(period: period)
      defer { scene.end() }
      try scene.join()
      try scene.roll()
      var errors: [Double] = []
      var later: [Double] = []
      for _ in 0..<10 {
        let report = try scene.probe.measure("stall", seconds: 1.5) {
          usleep(500_000)
          try scene.stall(milliseconds: 100)
        }
        if let error = report["stall_err_out"] { errors.append(error) }
        if let error = report["stall_next_err_out"] { later.append(error) }
      }
      return [
        Figure(
          name: "first cycle after 100 ms without any, published before them, p = \(period), worst of "
            + "\(errors.count)",
          value: errors.max(), limit: 20, unit: "us"),
        Figure(
          name: "the cycle after that, p = \(period), worst of \(later.count)", value: later.max(), limit: 20,
          unit: "us"),
      ]
    }
  }
}
