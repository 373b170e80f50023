import Stage

extension Acceptance {
  /// A sound card that is 100 ppm off, for a minute.
  static func drift() throws -> [Figure] {
    try [100.0, -100].map { ppm in
      let scene = try Scene(period: 1024, drift: ppm)
      defer { scene.end() }
      try scene.join()
      try scene.roll()
      let report = try scene.probe.measure("drift", seconds: 60)
      return Figure(
        name: "drift, sound card at \(ppm) ppm", value: report["drift_ppm"], limit: 0.5, unit: "ppm")
    }
  }
}
