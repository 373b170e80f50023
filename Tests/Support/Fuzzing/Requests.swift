import Control
import Panel
import Patience
import PropertyTesting
import Settings
import Web

extension FuzzTarget {
  /// Requests to the panel, of browsers and of programs that claim to be one: HTTP, by a real connection with
  /// a real server.
  static let panel = FuzzTarget(
    name: "panel", longest: 8192, cost: 10,
    generate: { random in
      let path = Requests.paths.randomElement(using: &random) ?? "/"
      let said =
        random.oneIn(8)
        ? Requests.tokens.randomElement(using: &random) ?? "" : "?token=\(Requests.token.text)"
      let isCommand = path == "/command"
      var headers = ["Host: \(random.oneIn(10) ? Vocabulary.value(&random) : "127.0.0.1:8090")"]
      if isCommand, !random.oneIn(10) { headers.append("Content-Type: application/json") }
      var body = ""
      if isCommand || random.oneIn(10) {
        let word = Instruction.vocabulary.randomElement(using: &random)?.word ?? ""
        body = "{\"command\":\"\(word)\(random.oneIn(2) ? " \(Vocabulary.value(&random))" : "")\"}"
        headers.append(
          "Content-Length: \(random.oneIn(8) ? Vocabulary.value(&random) : "\(body.utf8.count)")")
      }
      for _ in 0..<Int.random(in: 0...2, using: &random) {
        headers.append(Requests.headers.randomElement(using: &random) ?? "")
      }
      let method =
        random.oneIn(10) ? Requests.methods.randomElement(using: &random) ?? "" : isCommand ? "POST" : "GET"
      let text = "\(method) \(path)\(said) HTTP/1.1\r\n\(headers.joined(separator: "\r\n"))\r\n\r\n\(body)"
      var bytes = Array(text.utf8)
      if random.oneIn(3) { bytes.mutate(Requests.pieces + Vocabulary.numbers, &random) }
      if random.oneIn(60) { bytes += Array(repeating: UInt8(ascii: "x"), count: 40_000) }
      return bytes
    },
    check: { bytes throws(BrokenLaw) in
      let before = Requests.outcomes
      let answer = try Requests.answer(to: bytes)
      let goOn = Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)
      guard !answer.isEmpty, answer != goOn else {
        // A client that still sends when it is answered does not get the answer. A connection that ends
        // without a request is counted when that is noticed.
        try require(
          eventually { Requests.outcomes > before }, "it was neither answered nor counted")
        return .refused
      }
      try require(
        answer.starts(with: "HTTP/1.1 ".utf8) || answer.starts(with: "HTTP/1.0 ".utf8),
        "the answer begins with \(answer.prefix(20))")
      // A client that asks whether it may send a body gets that answer first.
      let status = String(
        decoding: (answer.starts(with: goOn) ? answer.dropFirst(goOn.count) : answer[...]).dropFirst(9)
          .prefix(3), as: UTF8.self)
      try require(
        ["200", "400", "403", "404", "405", "411", "413", "414", "415", "421", "431", "501", "503", "505"]
          .contains(status), "it was answered by \(status)")
      return status == "200" ? .accepted : .refused
    })
}

/// The parts of requests, and the server that answers them.
private enum Requests {
  static let token = PanelToken()
  static let paths = [
    "/", "/updates", "/command", "/command", "/command", "/", "//", "/../etc/passwd", "/é", "*", "",
  ]
  static let methods = [
    "GET", "POST", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE", "CONNECT", "get", "", "G T",
  ]
  static let tokens = [
    "", "?token=", "?token=x", "?Token=\(token.text)", "?token=\(token.text)&token=x", "?%00", "?=&&=&",
  ]
  static let headers = [
    "Origin: http://127.0.0.1:8090", "Origin: http://evil.example", "Origin: null", "Host: evil.example",
    "Sec-Fetch-Site: cross-site", "Sec-Fetch-Site: same-origin", "Sec-Fetch-Mode: navigate",
    "Expect: 100-continue",
    "Transfer-Encoding: chunked", "Transfer-Encoding: gzip", "Connection: close", "Connection: Upgrade",
    "Upgrade: websocket", "Content-Type: text/plain", "Content-Length: 18446744073709551616",
    "Content-Length: -1",
    "Cookie: \(String(repeating: "a=b; ", count: 100))", " folded", "X", ": y", "X: \u{1}",
    "Range: bytes=0-1",
    "Authorization: Basic Og==", "Content-Encoding: gzip", "Content-Type: application/json; charset=x",
  ]
  static let pieces = [
    "\r\n", "\r\n\r\n", "\n", ":", "?", "&", "%", "%zz", "%00", "/", " HTTP/1.1", " HTTP/1.0", " HTTP/9.9",
    "{", "}", "\"",
    "\\u0000", "0\r\n\r\n", "5\r\nabcde\r\n", "ffffffffffffffff\r\n",
  ]

  /// A server that answers as far as commands are understood, and that lasts as long as the process.
  static let server: PanelServer = {
    guard let server = try? PanelServer(token: token) else {
      fatalError("there is no server: install libmicrohttpd12")
    }
    Task(executorPreference: Apart()) {
      await server.run { line in
        do throws(SettingsError) {
          return try Instruction(line: line) == nil ? .refused("it is empty") : .taken
        } catch {
          return .error(error.description)
        }
      }
    }
    return server
  }()

  /// How often a request was answered, or rejected.
  static var outcomes: Int { server.answered + server.tally.refused }

  /// The answer, up to its end; of an endless one, its beginning.
  static func answer(to request: [UInt8]) throws(BrokenLaw) -> [UInt8] {
    guard let (guest, other) = try? WebGuest.pair() else { throw BrokenLaw("there are no sockets left") }
    server.take(other)
    // The server does not read to the end of a request that is too long.
    guest.send(request)
    guest.endSending()
    guard let answer = guest.rest() else { throw BrokenLaw("it hangs") }
    return answer
  }
}

extension PanelTally {
  /// How often a request was rejected.
  fileprivate var refused: Int { wrongRequests + strangers + slowReaders + turnedAway }
}
