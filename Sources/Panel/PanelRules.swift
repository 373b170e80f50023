import Glibc
import Host

/// The rules of access: the panel is for people who have its link, and for no page but its own.
struct PanelRules: Sendable {
  /// The token that a link has to have; `nil` where no other user or machine can connect anyway.
  let token: PanelToken?
  /// The longest body of a request, in bytes.
  let longestBody: Int

  /// The answer to a request.
  enum Verdict: Sendable, Hashable {
    /// Show the page.
    case page
    /// Send events, from now on.
    case updates
    /// Carry out the command in the body.
    case command
    /// Nothing, for that reason.
    case refused(Refusal)
  }

  /// The reason of a rejection.
  enum Refusal: Sendable, Hashable, CaseIterable {
    /// The address that the browser was given has a name that is not this machine's: it was made to point here.
    case misdirected
    /// Another page has asked.
    case foreign
    /// The link has no token, or a wrong one.
    case noToken
    /// There is nothing of that name.
    case notFound
    /// That cannot be done with it.
    case wrongMethod
    /// It is no JSON.
    case wrongType
    /// It is too long.
    case tooLong
    /// Too many have the panel open.
    case full

    /// HTTP's number for it.
    var status: UInt32 {
      switch self {
      case .misdirected: 421
      case .foreign, .noToken: 403
      case .notFound: 404
      case .wrongMethod: 405
      case .wrongType: 415
      case .tooLong: 413
      case .full: 503
      }
    }

    /// The text of the answer, for people.
    var text: String {
      switch self {
      case .misdirected: "This machine is not called that. Open the link that jackstay has printed."
      case .foreign: "Only the panel's own page gets anything here. Open the link that jackstay has printed."
      case .noToken: "This link is not right, or no longer. Open the one that jackstay has printed."
      case .notFound: "There is nothing of that name here. Open the link that jackstay has printed."
      case .wrongMethod:
        "That cannot be done here. The page and its updates are read, and commands are posted."
      case .wrongType: "A command is posted as application/json, as in {\"command\":\"start\"}."
      case .tooLong: "That is too long. Post one command, as in {\"command\":\"start\"}."
      case .full: "Too many have this panel open. Close it elsewhere, and try again."
      }
    }
  }

  /// Judges a request by the part before its body.
  ///
  /// The browser's headers about the page come first, so that a page from another origin learns nothing.
  func judge(_ request: PanelRequest) -> Verdict {
    let hosts = request.header("host")
    guard hosts.count == 1, isOurs(hosts[0]) else { return .refused(.misdirected) }
    guard isOwnPage(request, host: hosts[0]) else { return .refused(.foreign) }
    if let token {
      guard let said = request.argument("token"), token.isSaid(by: said) else { return .refused(.noToken) }
    }
    switch (request.method, request.path) {
    case ("GET", "/"): return .page
    case ("GET", "/updates"): return .updates
    case ("POST", "/command"): return command(request)
    case (_, "/"), (_, "/updates"), (_, "/command"): return .refused(.wrongMethod)
    default: return .refused(.notFound)
    }
  }

  private func command(_ request: PanelRequest) -> Verdict {
    // No form of another page's can send that type without asking first, and such a question is rejected
    // here.
    let types = request.header("content-type").map { $0.prefix { $0 != ";" } }
    guard types.count == 1, types[0].lowercased().filter({ $0 != " " }) == "application/json" else {
      return .refused(.wrongType)
    }
    for length in request.header("content-length") {
      guard let length = Int(length), length <= longestBody else { return .refused(.tooLong) }
    }
    return .command
  }

  /// Whether what stands before the path in the browser's address is this machine.
  ///
  /// Only an address in numbers and `localhost` are: a server that answers for a name in DNS, or for the
  /// machine's own name in mDNS, could give its own page the panel's origin. Numbers point nowhere else.
  private func isOurs(_ host: String) -> Bool {
    let host = host.lowercased()
    if host.hasPrefix("[") {
      guard let end = host.firstIndex(of: "]") else { return false }
      let rest = host[host.index(after: end)...]
      return Self.isPort(rest) && ListenAddress.numbers(String(host[..<end].dropFirst()), AF_INET6) != nil
    }
    let name = host.prefix { $0 != ":" }
    guard Self.isPort(host[name.endIndex...]) else { return false }
    return name == "localhost" || ListenAddress.numbers(String(name), AF_INET) != nil
  }

  /// Whether it is nothing, or a colon and a port. Which one is not asked: it may be forwarded from another.
  private static func isPort(_ text: Substring) -> Bool {
    guard text.first == ":" else { return text.isEmpty }
    return (1...5).contains(text.utf8.count - 1) && text.dropFirst().allSatisfy { $0.isASCII && $0.isNumber }
  }

  /// Whether it is the panel's page that asks, or a person, and not another page.
  private func isOwnPage(_ request: PanelRequest, host: String) -> Bool {
    let origins = request.header("origin")
    guard origins.count <= 1 else { return false }
    if let origin = origins.first {
      let own = host.lowercased()
      guard ["http://\(own)", "https://\(own)"].contains(origin.lowercased()) else { return false }
    }
    // A link on another page leads to the panel's page, which no other page can read.
    let isLink =
      request.method == "GET" && request.path == "/" && request.header("sec-fetch-mode") == ["navigate"]
      && request.header("sec-fetch-dest") == ["document"]
    return isLink || request.header("sec-fetch-site").allSatisfy { $0 == "same-origin" || $0 == "none" }
  }
}
