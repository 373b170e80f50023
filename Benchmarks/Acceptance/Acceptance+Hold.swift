import Stage

extension Acceptance {
  /// A launch that waits for longer than a JACK server does by itself: eight beats at 20 beats per minute are
  /// 24 s.
  static func hold() throws -> [Figure] {
    let scene = try Scene(bpm: 20, flags: ["--quantum", "8", "--frame-align", "exact"], quantum: 8)
    defer { scene.end() }
    try scene.join()
    var figures: [Figure] = []
    for start in ["playnow", "jackstart"] {
      try scene.rest()
      try scene.probe.send("locate 0")
      // Just too late for one quantum.
      try scene.probe.awaitBeat(0.2, ofQuantum: 8)
      let launch = try scene.probe.launch(by: start, timeout: .seconds(40))
      let held = "after a hold of \(((launch["ms"] ?? .nan) / 100).rounded() / 10) s, by \(start)"
      figures += [
        Figure(
          name: "to the quantum \(held)", value: launch["to_quantum_out"],
          limit: Double(scene.server.period) / 0.048, unit: "us"),
        Figure(name: "err_out \(held)", value: launch["err_out"], limit: 10, unit: "us"),
        Figure(name: "frame_err_out \(held)", value: launch["frame_err_out"], limit: 2 / 0.048, unit: "us"),
      ]
    }
    try scene.rest()
    scene.bridge.terminate()
    // The timeout that the bridge raised for itself does not stay for other clients.
    try scene.probe.send("slow never")
    let launch = try scene.probe.launch(timeout: .seconds(60))
    figures.append(
      Figure(
        name: "the server's patience with slow clients after the bridge has left, off 10 s",
        value: launch["ms"].map { $0 / 1000 - 10 }, limit: 0.1, unit: "s"))
    return figures
  }
}
