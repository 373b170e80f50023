import Stage

/// A JACK server, the bridge on it, and the independent instrument: everything of one measurement.
struct Scene {
  let server: JackServer
  let bridge: Child
  let probe: LinkProbe

  /// A fresh server with a bridge that owns the timebase, and a probe that has not joined Link yet.
  init(period: Int, bpm: Double = 120, flags: [String] = [], drift: Double = 0) throws {
    server = try JackServer.started(period: period, drift: drift)
    bridge = try Self.bridge(on: server, flags: ["--tempo", "\(bpm)"] + flags)
    probe = try LinkProbe.start(server: server, bpm: bpm)
    try probe.send("enable 0")
  }

  static func bridge(on server: JackServer, flags: [String] = []) throws -> Child {
    let bridge = try Child(Products.path("jackstay"), flags, environment: server.environment, streams: .pipes)
    try bridge.awaitLine(in: .errors, "the timebase") { $0.contains("we own the timebase") }
    return bridge
  }

  /// Lets the probe join the bridge's session, and the session settle.
  func join() throws {
    try probe.send("enable 1")
    guard try probe.awaitState("peers 1") else { throw Failure("the probe found no peer") }
    try probe.send("wait 0.5")
  }

  func roll() throws {
    try probe.send("jackstart")
    guard try probe.awaitState("rolling") else { throw Failure("the transport does not roll") }
  }

  func end() {
    bridge.terminate()
    probe.child.terminate()
    server.terminate()
  }
}

/// A measurement that could not be made.
struct Failure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}
