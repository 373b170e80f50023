import Glibc
import Stage
import Testing

/// That a JACK client that hangs, and with it everything that is asked of the server, holds no press and no
/// command.
@Suite(.serialized, .alone) struct HungClientTests {
  /// How long the bridge may take; a hung client holds JACK's requests for 11 s.
  private static let soon = Duration.seconds(1.5)

  /// The time until `state`, after `press`.
  private func time(_ press: () throws -> Void, until state: String, _ probe: LinkProbe) throws -> Duration {
    let start = ContinuousClock.now
    try press()
    #expect(try probe.awaitState(state), "\(state)")
    return .now - start
  }

  @Test(.measured) func `A hung client holds neither a peer's press nor a command`() throws {
    let scene = try Scene(flags: ["--launch", "now"])
    try scene.join()
    try scene.withHungClient(ownerAt: 120, preparing: { try scene.roll() }) {
      var times: [Duration] = []
      times.append(try time({ try scene.probe.send("stop") }, until: "stopped", scene.probe))
      // JACK itself then waits for the client.
      times.append(try time({ try scene.bridge.write("start\n") }, until: "starting", scene.probe))
      times.append(try time({ try scene.bridge.write("stop\n") }, until: "stopped", scene.probe))
      #expect(times.allSatisfy { $0 < Self.soon * Sanitizer.patience }, "\(times)")

      let start = ContinuousClock.now
      scene.bridge.signal(SIGTERM)
      #expect(try scene.bridge.wait().isSuccess)
      #expect(.now - start < EndingTests.soon * Sanitizer.patience)
    }
  }
}
