import Glibc
import JSON
import Stage
import Testing
import Web

/// The panel of a bridge on a real server, without a browser: requests, and their answers.
@Suite(.serialized, .alone) struct PanelTests {
  private let folder: RuntimeFolder

  init() throws { folder = try RuntimeFolder() }

  private func updates(_ port: UInt16, query: String = "") throws -> WebGuest {
    let guest = try WebGuest(port: port)
    guest.send("GET /updates\(query) HTTP/1.1\r\nHost: localhost:\(port)\r\n\r\n")
    #expect(guest.answer().status == 200)
    return guest
  }

  /// Reads on until a message meets a condition.
  private func message(_ guest: WebGuest, where condition: (JSONObject) -> Bool) throws -> JSONObject {
    let deadline = ContinuousClock.now + .seconds(20)
    while ContinuousClock.now < deadline, let text = guest.message() {
      let object = try JSONObject(parsing: text.utf8)
      if condition(object) { return object }
    }
    Issue.record("no such message")
    return [:]
  }

  @Test func `A press in the panel starts JACK and Link, and the panel shows all events`() throws {
    let scene = try Scene(flags: ["--panel", "8090"], environment: folder.environment)
    try scene.bridge.awaitLine(in: .errors) { $0.contains("web panel: http://127.0.0.1:8090/") }
    try scene.join()
    let watcher = try updates(8090)
    let first = try message(watcher) { $0["answer"] == "status" && $0["peers"] == 1 }
    #expect(first["transport"] == "stopped" && first["panel_viewers"] == 1)
    // The time at which the phase is heard, and the time of the status, are instants of one clock.
    let age = (first["now_us"]?.number ?? 0) - (first["time_us"]?.number ?? 0)
    #expect((-2e6...2e6).contains(age), "\(age)")
    let hand = try WebGuest(port: 8090)
    #expect(try hand.tell("start") == ["answer": "taken"])
    #expect(try scene.probe.awaitState("rolling"))
    _ = try message(watcher) { $0["event"] == "transport_started" }
    #expect(try hand.tell("tempo +3") == ["answer": "taken"])
    #expect(
      try scene.probe.awaitPeers { $0["link_bpm"].map { abs($0 - 123) < 0.01 } == true }["link_bpm"] != nil)
    _ = try message(watcher) {
      $0["answer"] == "status" && $0["transport"] == "rolling" && $0["tempo"] == 123
    }
    #expect(try hand.tell("quantum 8") == ["answer": "taken"])
    _ = try message(watcher) { $0["answer"] == "status" && $0["quantum"] == 8 }
    #expect(try hand.tell("stop") == ["answer": "taken"])
    #expect(try scene.probe.awaitState("stopped"))

    // Another page, also by a name that it has made point here, gets nothing, and is counted.
    for request in [
      "GET / HTTP/1.1\r\nHost: evil.example:8090\r\n\r\n",
      "GET /updates HTTP/1.1\r\nHost: localhost:8090\r\nOrigin: http://evil.example\r\n\r\n",
      "POST /command HTTP/1.1\r\nHost: localhost:8090\r\nOrigin: http://evil.example\r\n"
        + "Content-Type: text/plain\r\nContent-Length: 19\r\n\r\n{\"command\":\"start\"}",
    ] {
      let stranger = try WebGuest(port: 8090)
      stranger.send(request)
      #expect([403, 421].contains(stranger.answer().status))
    }
    let last = try message(watcher) { $0["answer"] == "status" && $0["panel_rejected_users"] == 3 }
    #expect(last["transport"] == "stopped" && last["panel_invalid_requests"] == 0)
    #expect(scene.bridge.terminate().isSuccess)
    #expect(watcher.isOver())
  }

  /// A bridge that waits for a server, and has logged its panel's links.
  private func bridge(_ address: String, streams: Child.Streams = .pipes) throws -> (Child, link: String) {
    let bridge = try Child(
      Products.path("jackstay"), ["--panel", address],
      environment: [
        "HOME": "/nowhere", "XDG_CONFIG_HOME": nil, "XDG_RUNTIME_DIR": folder.path,
        "JACK_DEFAULT_SERVER": "jackstay-nobody", "JACK_NO_START_SERVER": "1", "LC_ALL": "C.UTF-8",
      ], streams: streams)
    let line = try bridge.awaitLine(in: streams == .pipes ? .errors : .output, "the link") {
      $0.contains("web panel: http")
    }
    return (bridge, String(line.text.split(separator: " ").last ?? ""))
  }

  @Test func `Where others can connect there is a token in the link, and nothing without`() throws {
    let (bridge, link) = try bridge("0.0.0.0:8091")
    let query = try #require(
      link.firstMatch(of: /^http:\/\/127\.0\.0\.1:8091\/(\?token=[0-9a-f]{32})$/)?.output.1)
    for wrong in ["", "?token=", "?token=\(String(repeating: "0", count: 32))"] {
      let guest = try WebGuest(port: 8091)
      guest.send("GET /\(wrong) HTTP/1.1\r\nHost: localhost\r\n\r\n")
      #expect(guest.answer().status == 403)
      #expect(throws: (any Error).self) { try WebGuest(port: 8091).tell("mode link", query: wrong) }
    }
    let guest = try WebGuest(port: 8091)
    guest.send("GET /\(query) HTTP/1.1\r\nHost: localhost\r\n\r\n")
    #expect(guest.answer().body.hasPrefix("<!doctype html>"))
    let watcher = try updates(8091, query: String(query))
    #expect(try WebGuest(port: 8091).tell("mode link", query: String(query))["answer"] == "kept")
    let status = try message(watcher) { $0["mode"] == "link" }
    #expect(status["state"] == "waiting" && status["panel_rejected_users"] == 6)
    #expect(bridge.terminate().isSuccess)
  }

  @Test func `In a terminal that link is a code for cameras, too`() throws {
    let (bridge, _) = try bridge("0.0.0.0:8092", streams: .terminalWithErrors)
    let lines = (33 + 4 + 1) / 2
    let text = try bridge.awaitText("the code") { $0.components(separatedBy: "\u{1B}[97;40m").count > lines }
    let light = text.components(separatedBy: "\u{1B}[97;40m").dropFirst().map {
      $0.prefix { $0 == "█" }.count
    }
    #expect(light.count == lines && light.allSatisfy { $0 >= 2 } && light.first == 33 + 4)
    #expect(bridge.terminate().isSuccess)
  }

  @Test func `Without a free port the bridge reports that, and goes on`() throws {
    let (first, _) = try bridge("8093")
    let second = try Child(
      Products.path("jackstay"), ["--panel", "8093", "--name", "second"],
      environment: [
        "JACK_DEFAULT_SERVER": "jackstay-nobody", "JACK_NO_START_SERVER": "1", "HOME": "/nowhere",
      ],
      streams: .pipes)
    try second.awaitLine(in: .errors) {
      $0.hasSuffix(
        "there is no panel at 127.0.0.1:8093: Address already in use; give --panel another address or port, or \"off\""
      )
    }
    try second.awaitLine(in: .errors) { $0.contains("waiting for a JACK server") }
    #expect(first.terminate().isSuccess && second.terminate().isSuccess)
  }

  private var nowhere: [String: String?] {
    [
      "HOME": "/nowhere", "XDG_CONFIG_HOME": nil, "XDG_RUNTIME_DIR": folder.path,
      "JACK_DEFAULT_SERVER": "jackstay-nobody", "JACK_NO_START_SERVER": "1", "LC_ALL": "C.UTF-8",
    ]
  }

  /// The output of one of the program's commands, with any exit status.
  private func output(_ arguments: String...) throws -> (lines: [String], errors: [String], isSuccess: Bool) {
    let command = try Child(Products.path("jackstay"), arguments, environment: nowhere, streams: .pipes)
    let isSuccess = try command.wait().isSuccess
    return (command.lines(of: .output), command.lines(of: .errors), isSuccess)
  }

  @Test func `A panel and OSC at an address that comes later are there when it comes`() throws {
    let host = "10.77.0.\(Int.random(in: 1...254))"
    let bridge = try Child(
      Products.path("jackstay"), ["--panel", "\(host):8094", "--osc", "\(host):8095"], environment: nowhere,
      streams: .pipes)
    try bridge.awaitLine(in: .errors) {
      $0.contains("there is no panel at \(host):8094 yet: Cannot assign requested address; it opens when")
    }
    try bridge.awaitLine(in: .errors) {
      $0.contains("going on without OSC: OSC cannot be received at \(host):8095")
    }
    try bridge.awaitLine(in: .errors) { $0.contains("waiting for a JACK server") }
    let early = try output("panel")
    #expect(!early.isSuccess && early.errors.contains { $0.contains("the panel is not there yet") })
    try Loopback.with(address: host) {
      let line = try bridge.awaitLine(in: .errors) { $0.contains("web panel: http") }
      let link = String(line.text.split(separator: " ").last ?? "")
      #expect(link.wholeMatch(of: /http:\/\/10\.77\.0\.[0-9]+:8094\/\?token=[0-9a-f]{32}/) != nil, "\(link)")
      try bridge.awaitLine(in: .errors) { $0.contains("listening for OSC") && $0.contains("\(host):8095") }

      // Links that were printed long ago can be seen again: the link, and its code for cameras.
      let panel = try output("panel")
      #expect(panel.isSuccess && panel.lines.first == link)
      #expect(
        panel.lines.dropFirst().count > 15
          && panel.lines.dropFirst().allSatisfy { $0.contains("\u{1B}[97;40m") })
      #expect(
        try output("status").lines.contains { $0.hasPrefix("panel ") && $0.hasSuffix(link.prefix(180)) })
    }
    #expect(bridge.terminate().isSuccess)
  }

  @Test func `A panel whose port another program has is there when that has ended`() throws {
    let (first, _) = try bridge("8096")
    let second = try Child(
      Products.path("jackstay"), ["--panel", "8096", "--name", "second"], environment: nowhere,
      streams: .pipes)
    try second.awaitLine(in: .errors) {
      $0.contains("there is no panel at 127.0.0.1:8096: Address already in use")
    }
    #expect(first.terminate().isSuccess)
    try second.awaitLine(in: .errors) { $0.contains("web panel: http://127.0.0.1:8096/") }
    let panel = try output("panel", "--name", "second")
    #expect(panel.isSuccess && panel.lines == ["http://127.0.0.1:8096/"])
    #expect(second.terminate().isSuccess)
    let none = try Child(Products.path("jackstay"), environment: nowhere, streams: .pipes)
    try none.awaitLine(in: .errors) { $0.contains("waiting for a JACK server") }
    #expect(try output("panel").errors.contains { $0.contains("the bridge has no panel") })
    #expect(none.terminate().isSuccess)
  }
}
