import Host
import Testing

@testable import Settings

@Suite struct ListenAddressTests {
  @Test func `A port alone is of this machine alone`() {
    #expect(ListenAddress("8090") == .loopback(8090))
    #expect(ListenAddress("localhost:8090") == .loopback(8090))
    #expect(ListenAddress("8090")?.description == "127.0.0.1:8090")
  }

  @Test func `An address is the one that it means, however it is written`() throws {
    for (text, written, isLoopback, isAny) in [
      ("127.3.2.1:80", "127.3.2.1:80", true, false), ("0.0.0.0:80", "0.0.0.0:80", false, true),
      ("192.168.1.20:80", "192.168.1.20:80", false, false), ("[0:0::1]:80", "[::1]:80", true, false),
      ("[::]:80", "[::]:80", false, true), ("[2001:DB8::0:1]:80", "[2001:db8::1]:80", false, false),
      ("[::ffff:127.0.0.1]:80", "[::ffff:127.0.0.1]:80", false, false),
    ] {
      let address = try #require(ListenAddress(text))
      #expect(address.description == written)
      #expect(address.isLoopback == isLoopback && address.isAny == isAny, "\(text)")
      #expect(ListenAddress(address.description) == address)
    }
  }

  @Test func `The file has it as text or, of a port alone, as a number`() throws {
    let address = try #require(ListenAddress("0.0.0.0:8090"))
    #expect(try settings(file: "panel = \"0.0.0.0:8090\"").panel == .at(address))
    #expect(try settings(file: "panel = 8090").panel == .at(.loopback(8090)))
    #expect(try settings(file: "panel = \"8090\"").panel == .at(.loopback(8090)))
    #expect(try settings(file: "panel = \"off\"").panel == .off)
    #expect(throws: SettingsError.self) { try settings(file: "panel = off") }
    #expect(throws: SettingsError.self) { try settings(file: "panel = true") }
  }
}
