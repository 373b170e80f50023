import Testing

@testable import Panel

@Suite struct PanelRulesTests {
  private static let token = PanelToken()
  private static let open = PanelRules(token: nil, longestBody: 100)
  private static let closed = PanelRules(token: token, longestBody: 100)

  private func request(
    _ method: String = "GET", _ path: String = "/", host: String? = "127.0.0.1:8090", token: [String] = [],
    headers: [(String, String)] = []
  ) -> PanelRequest {
    PanelRequest(
      method: method, path: path, arguments: token.map { .init(name: "token", value: $0) },
      headers: (host.map { [("Host", $0)] } ?? []).map { .init(name: $0.0, value: $0.1) }
        + headers.map { .init(name: $0.0, value: $0.1) })
  }

  private func command(_ headers: [(String, String)]) -> PanelRules.Verdict {
    Self.open.judge(request("POST", "/command", headers: headers))
  }

  @Test func `The page, its updates and commands are all there is`() {
    #expect(Self.open.judge(request()) == .page)
    #expect(Self.open.judge(request("GET", "/updates")) == .updates)
    #expect(command([("Content-Type", "application/json")]) == .command)
    #expect(command([("content-type", "Application/JSON; charset=utf-8")]) == .command)
    for path in ["", "//", "/index.html", "/updates/", "/command?", "/..", "/Updates"] {
      #expect(Self.open.judge(request("GET", path)) == .refused(.notFound))
    }
    for method in ["POST", "HEAD", "PUT", "OPTIONS", "TRACE", "get", ""] {
      #expect(Self.open.judge(request(method)) == .refused(.wrongMethod))
      #expect(Self.open.judge(request(method, "/updates")) == .refused(.wrongMethod))
    }
    #expect(Self.open.judge(request("GET", "/command")) == .refused(.wrongMethod))
  }

  @Test func `A name of another host that points to this machine is none of its own`() {
    for host in [
      "127.0.0.1", "127.0.0.1:1", "192.168.1.20:8090", "localhost", "LOCALHOST:65535", "[::1]:8090",
      "[fe80::1]",
    ] {
      #expect(Self.open.judge(request(host: host)) == .page, "\(host)")
    }
    for host in [
      "studio", "studio.local", "Studio.local:8090", "evil.example", "evil.example:8090",
      "studio.evil.example", "localhost.evil.example",
      "127.0.0.1.evil.example",
      "", ":8090", "127.0.0.1:", "127.0.0.1:x", "127.0.0.1:123456", "127.1", "0x7f000001", "2130706433",
      "[::1",
      "[studio]", "::1", "[]", "127.0.0.1:8090:1", "user@127.0.0.1", "127.0.0.1/", " 127.0.0.1", "localhost.",
    ] {
      #expect(Self.open.judge(request(host: host)) == .refused(.misdirected), "\(host)")
    }
    #expect(Self.open.judge(request(host: nil)) == .refused(.misdirected))
    #expect(Self.open.judge(request(headers: [("host", "127.0.0.1:8090")])) == .refused(.misdirected))
  }

  @Test func `Other pages get nothing for any request`() {
    let foreign = [
      "http://evil.example", "null", "", "http://127.0.0.1", "http://127.0.0.1:8091", "http://localhost:8090",
      "http://127.0.0.1:8090/", "http://127.0.0.1:8090.evil.example", "ftp://127.0.0.1:8090",
    ]
    for (method, path) in [("GET", "/"), ("GET", "/updates"), ("POST", "/command"), ("OPTIONS", "/command")] {
      for origin in foreign {
        let headers = [("Origin", origin), ("Content-Type", "application/json")]
        #expect(
          Self.open.judge(request(method, path, headers: headers)) == .refused(.foreign), "\(path) \(origin)")
      }
      for site in ["cross-site", "same-site", "x"] {
        let headers = [
          ("Sec-Fetch-Site", site), ("Sec-Fetch-Mode", "no-cors"), ("Content-Type", "application/json"),
        ]
        #expect(
          Self.open.judge(request(method, path, headers: headers)) == .refused(.foreign), "\(path) \(site)")
      }
    }
    let own = ("Origin", "http://127.0.0.1:8090")
    #expect(command([own, ("Content-Type", "application/json")]) == .command)
    #expect(command([own, own, ("Content-Type", "application/json")]) == .refused(.foreign))
    #expect(
      Self.open.judge(request("GET", "/updates", headers: [("Sec-Fetch-Site", "same-origin")])) == .updates)
  }

  @Test func `A link from elsewhere leads to the page, but not within another`() {
    let link = [("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Mode", "navigate")]
    #expect(Self.open.judge(request(headers: link + [("Sec-Fetch-Dest", "document")])) == .page)
    #expect(Self.open.judge(request(headers: link + [("Sec-Fetch-Dest", "iframe")])) == .refused(.foreign))
    #expect(
      Self.open.judge(request("GET", "/updates", headers: link + [("Sec-Fetch-Dest", "document")]))
        == .refused(.foreign))
  }

  @Test func `Without the token there is nothing, and no hint at paths that exist`() {
    let right = Self.token.text
    for (method, path) in [
      ("GET", "/"), ("GET", "/updates"), ("POST", "/command"), ("GET", "/x"), ("PUT", "/"),
    ] {
      for token in [[], [""], ["x"], [right.uppercased() + "x"], [String(right.dropLast())], [right, right]] {
        #expect(Self.closed.judge(request(method, path, token: token)) == .refused(.noToken))
      }
    }
    #expect(Self.closed.judge(request(token: [right])) == .page)
    #expect(Self.closed.judge(request("GET", "/updates", token: [right])) == .updates)
    #expect(Self.closed.judge(request("GET", "/x", token: [right])) == .refused(.notFound))
    #expect(Self.closed.judge(request(host: "evil.example", token: [right])) == .refused(.misdirected))
  }

  @Test func `A command is JSON, and no longer than commands are`() {
    for type in ["text/plain", "application/x-www-form-urlencoded", "", "application/jsonx", "json"] {
      #expect(command([("Content-Type", type)]) == .refused(.wrongType), "\(type)")
    }
    #expect(command([]) == .refused(.wrongType))
    let json = ("Content-Type", "application/json")
    #expect(command([json, json]) == .refused(.wrongType))
    #expect(command([json, ("Content-Length", "100")]) == .command)
    for length in ["101", "99999999999999999999", "x", ""] {
      #expect(command([json, ("Content-Length", length)]) == .refused(.tooLong), "\(length)")
    }
  }

  @Test(arguments: PanelRules.Refusal.allCases)
  func `Each rejection has its remedy in a line`(refusal: PanelRules.Refusal) {
    #expect((400..<600).contains(refusal.status))
    #expect(refusal.text.hasSuffix(".") && !refusal.text.contains { $0.isNewline })
    #expect(["Open", "read", "Post", "Close", "posted"].contains { refusal.text.contains($0) })
  }

  @Test func `Tokens are long, and no two are the same`() {
    let tokens = Set((0..<1000).map { _ in PanelToken() })
    #expect(tokens.count == 1000)
    for token in tokens {
      #expect(token.text.count == 32 && token.text.allSatisfy { $0.isHexDigit && !$0.isUppercase })
      #expect(token.isSaid(by: token.text) && !token.isSaid(by: token.text + "0") && !token.isSaid(by: ""))
      var digits = Array(token.text)
      digits[31] = digits[31] == "0" ? "1" : "0"
      #expect(!token.isSaid(by: String(digits)))
    }
    // Each place of a token has each digit at some time.
    for place in 0..<32 { #expect(Set(tokens.map { Array($0.text)[place] }).count == 16) }
  }
}
