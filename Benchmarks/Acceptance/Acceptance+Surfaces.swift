import Control
import Foundation
import Glibc
import JSON
import Stage
import Web

extension Acceptance {
  /// The costs of the ways of seeing and commanding a running bridge: the socket, the panel and `top`.
  static func surfaces() throws -> [Figure] {
    let folder = try RuntimeFolder()
    let stopwatch = try Stopwatch()
    let environment = folder.environment.merging(stopwatch.environment) { $1 }
    let scene = try Scene(period: 256, flags: ["--panel", "\(panelPort)"], environment: environment)
    defer { scene.end() }
    try scene.join()
    try scene.roll()
    let control = ControlPlaces(environment: folder.environment.compactMapValues { $0 })
    return try [answerTime(control)] + besideQuestions(scene, stopwatch, control)
      + watched(scene, folder) + [memory(scene)]
  }

  private static let panelPort: UInt16 = 8090

  /// How long the status takes at the socket.
  private static func answerTime(_ control: ControlPlaces) throws -> Figure {
    let client = try ControlClient(name: nil, in: control)
    var times: [Double] = []
    for _ in 0..<1000 {
      let start = ContinuousClock.now
      _ = try client.ask("status")
      times.append((.now - start) / .milliseconds(1))
      usleep(1000)
    }
    return Figure(name: "status at the socket, median of 1,000", value: times.median, limit: 5, unit: "ms")
  }

  /// The bridge's callbacks while the status is asked for a thousand times a second, and while it is not: in
  /// turns.
  private static func besideQuestions(
    _ scene: Scene, _ stopwatch: Stopwatch, _ control: ControlPlaces
  ) throws -> [Figure] {
    var (asked, calm): ([Double], [Double]) = ([], [])
    var questions = 0
    let turns = 7
    for _ in 0..<turns {
      let client = try ControlClient(name: nil, in: control)
      let first = try stopwatch.times().count
      let asker = Companion { isOver in
        let start = ContinuousClock.now
        var count = 0
        while !isOver() {
          _ = try? client.ask("status")
          count += 1
          let wait = (start + .milliseconds(count) - .now) / .microseconds(1)
          if wait > 0 { usleep(UInt32(wait)) }
        }
        return count
      }
      try scene.probe.send("wait 4")
      questions += asker.end()
      let between = try stopwatch.times().count
      try scene.probe.send("wait 4")
      let times = try stopwatch.times()
      asked.append(Array(times[first..<between]).quantile(0.99))
      calm.append(Array(times[between...]).quantile(0.99))
    }
    let rate = questions / (turns * 4)
    let (mine, others) = (asked.median, calm.median)
    return [
      Figure(
        name: "callbacks of a cycle, p99, beside \(rate) requests for the status in a second, against none "
          + "(\(nanoseconds(mine)) against \(nanoseconds(others)))",
        of: mine, against: others, limit: 1.1)
    ]
  }

  /// The bridge's processor time with a panel open and `top` running, and with neither: in turns.
  private static func watched(_ scene: Scene, _ folder: RuntimeFolder) throws -> [Figure] {
    var (seen, alone): ([Double], [Double]) = ([], [])
    for _ in 0..<5 {
      alone.append(try load(of: scene.bridge, "the bridge"))
      let viewer = try WebGuest(port: panelPort)
      viewer.send("GET /updates HTTP/1.1\r\nHost: localhost:\(panelPort)\r\n\r\n")
      guard viewer.answer().status == 200 else { throw Failure("the panel does not open") }
      let reader = Companion { isOver in
        while !isOver(), viewer.message() != nil {}
      }
      let top = try TmuxScreen("\(Products.path("jackstay")) top", environment: folder.environment)
      seen.append(try load(of: scene.bridge, "the bridge"))
      reader.end()
      withExtendedLifetime(top) {}
    }
    let (mine, others) = (seen.median, alone.median)
    return [
      Figure(
        name: "the bridge's processor time with a panel open and top running, against neither "
          + "(\(percent(mine)) against \(percent(others)) of a core)",
        of: mine, against: others, limit: 1.5)
    ]
  }

  /// The memory that the bridge has resident, beyond a JACK client's that does nothing.
  private static func memory(_ scene: Scene) throws -> Figure {
    let empty = try Child(
      Products.path("baseline"), [], environment: scene.server.environment, streams: .pipes)
    defer { empty.terminate() }
    try empty.awaitLine("ready") { $0 == "ready" }
    let (ours, least) = try (scene.bridge.residentMemory(), empty.residentMemory())
    return Figure(
      name: "resident memory beyond a client's that does nothing (\(ours / 1024) against \(least / 1024) MB)",
      value: Double(ours - least) / 1024, limit: 20, unit: "MB")
  }
}
