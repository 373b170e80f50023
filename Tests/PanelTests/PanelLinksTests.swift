import Settings
import Testing

@testable import Panel

@Suite struct PanelLinksTests {
  @Test func `A link has the address and the token, and all addresses where it listens at all`() throws {
    let token = PanelToken()
    let one = try #require(ListenAddress("192.0.2.7:8090"))
    #expect(PanelLinks.all(for: one, token: token) == ["http://192.0.2.7:8090/?token=\(token.text)"])
    let six = try #require(ListenAddress("[::1]:8090"))
    #expect(PanelLinks.all(for: six, token: nil) == ["http://[::1]:8090/"])
    let all = PanelLinks.all(for: try #require(ListenAddress("0.0.0.0:8090")), token: token)
    #expect(
      !all.isEmpty && all.allSatisfy { $0.hasSuffix(":8090/?token=\(token.text)") && !$0.contains("0.0.0.0") }
    )
  }
}
