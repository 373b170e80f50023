import PropertyTesting
import Testing

@testable import NSM

/// Values of `NSM_URL`.
@Suite struct SessionManagerAddressTests {
  @Test func `An address of OSC over UDP is taken, as managers write it`() throws {
    for (url, host, port) in [
      ("osc.udp://studio.local:11287/", "studio.local", 11287), ("osc.udp://127.0.1.1:1", "127.0.1.1", 1),
      ("osc.udp://[::1]:65535/", "::1", 65535), ("osc.udp://my_box-2:4000/", "my_box-2", 4000),
    ] {
      let address = try #require(SessionManagerAddress(url: url))
      #expect(address.host == host && Int(address.port) == port)
      #expect(SessionManagerAddress(url: address.description) == address)
    }
    #expect(try SessionManagerAddress(environment: [:]) == nil)
    #expect(try SessionManagerAddress(environment: ["NSM_URL": ""]) == nil)
  }

  @Test func `Anything else is rejected in one line, with the expectation`() throws {
    for url in [
      "osc.tcp://a:1/", "osc.udp://a/", "osc.udp://:1/", "osc.udp://a:0/", "osc.udp://a:65536/",
      "osc.udp://a:+5/",
      "osc.udp://a:1/path", "osc.udp://a b:1/", "osc.udp://::1:5/", "http://a:1/", "x",
      "osc.udp://\u{202E}a:1/",
      "osc.udp://\(String(repeating: "a", count: 300)):1/", "osc.udp://a:1/\n", "osc.udp://ä:1/",
    ] {
      do throws(SessionManagerError) {
        _ = try SessionManagerAddress(environment: ["NSM_URL": url])
        Issue.record("\(url) was taken")
      } catch {
        let line = error.description
        #expect(line.contains("expected osc.udp://HOST:PORT/; start jackstay from a session manager"))
        #expect(
          !line.contains { $0.isNewline } && !line.unicodeScalars.contains { $0.value < 32 }
            && line.count < 500)
      }
    }
  }

  @Test func `Any bytes are an address that is written the same, or none`() {
    forAll(5000) { seed, random in
      let parts = [
        "osc.udp://", "a", ":", "[", "]", "/", "1", "65535", "%", "é", "\0", "::", "0", "osc.tcp://",
      ]
      let count = Int.random(in: 0...8, using: &random)
      let url = "osc.udp://" + (0..<count).map { _ in parts.randomElement(using: &random) ?? "" }.joined()
      guard let address = SessionManagerAddress(url: url) else { return }
      #expect(SessionManagerAddress(url: address.description) == address, "seed \(seed): \(url)")
    }
  }
}
