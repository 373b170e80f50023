import Host
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

  @Test func `The address of the default route comes first, and those of bridges on this machine last`() {
    let found = [
      ("docker0", "172.17.0.1"), ("eth1", "169.254.7.7"), ("eth0", "10.0.0.2"), ("wlan0", "192.168.1.20"),
      ("wlan0", "169.254.1.1"), ("br-0f3a", "172.18.0.1"), ("eth0", "10.0.0.2"),
    ].map { (interface: $0.0, host: $0.1) }
    #expect(
      PanelLinks.ranked(found, defaultRoute: "wlan0") == [
        "192.168.1.20", "10.0.0.2", "169.254.7.7", "169.254.1.1", "172.17.0.1", "172.18.0.1",
      ])
    #expect(PanelLinks.ranked(found, defaultRoute: nil).prefix(2) == ["10.0.0.2", "192.168.1.20"])
    #expect(PanelLinks.ranked([], defaultRoute: "eth0").isEmpty)
    // The machine may be reached by the address of a bridge interface.
    #expect(PanelLinks.ranked(found, defaultRoute: "br-0f3a").first == "172.18.0.1")
  }

  @Test func `The default route is the one with the lowest metric`() {
    let routes = [
      "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT",
      "wlan0\t00000000\t0101A8C0\t0003\t0\t0\t600\t00000000\t0\t0\t0",
      "eth0\t00000000\t0100000A\t0003\t0\t0\t100\t00000000\t0\t0\t0",
      "eth1\t0000000A\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0", "", "x",
    ]
    #expect(PanelLinks.defaultRoute(in: routes, isVersion6: false) == "eth0")
    #expect(PanelLinks.defaultRoute(in: Array(routes.prefix(1)), isVersion6: false) == nil)
    let none = String(repeating: "0", count: 32)
    let six = [
      "fd000000000000000000000000000000 40 \(none) 00 \(none) 00000100 00000001 00000000 00000001     eth1",
      "\(none) 00 \(none) 00 \(none) ffffffff 00000001 00000000 00200200       lo",
      "\(none) 00 \(none) 00 fd000000000000000000000000000001 00000400 00000003 00000000 00000003     eth0",
    ]
    #expect(PanelLinks.defaultRoute(in: six, isVersion6: true) == "eth0")
  }
}
