import Testing

@testable import Bridge

/// Connections of the bridge's ports outlast its client.
@Suite struct PortMemoryTests {
  private static let synth = PortMemory.Cable(port: "midi_clock", other: "synth:in")
  private static let speaker = PortMemory.Cable(port: "click", other: "system:playback_1")

  @Test func `Connections are made again for the next client, as soon as the other port is there`() {
    var memory = PortMemory()
    #expect(memory.look(at: [Self.synth, Self.speaker]) { _ in true } == [])
    memory.clientWasOpened()
    #expect(memory.look(at: []) { $0 == "system:playback_1" } == [Self.speaker])
    #expect(memory.look(at: [Self.speaker]) { $0 == "system:playback_1" } == [])
    #expect(memory.look(at: [Self.speaker]) { _ in true } == [Self.synth])
    #expect(memory.look(at: [Self.speaker, Self.synth]) { _ in true } == [])
  }

  @Test func `A connection that a user removes is not made again`() {
    var memory = PortMemory()
    _ = memory.look(at: [Self.synth, Self.speaker]) { _ in true }
    #expect(memory.look(at: [Self.speaker]) { _ in true } == [])
    memory.clientWasOpened()
    #expect(memory.look(at: []) { _ in true } == [Self.speaker])
    _ = memory.look(at: [Self.speaker]) { _ in true }
    // Nor one that was made again.
    #expect(memory.look(at: []) { _ in true } == [])
  }

  @Test func `A connection of a client that leaves with the server is remembered`() {
    var memory = PortMemory()
    _ = memory.look(at: [Self.synth]) { _ in true }
    #expect(memory.look(at: []) { _ in false } == [])
    memory.clientWasOpened()
    #expect(memory.look(at: []) { _ in false } == [])
    #expect(memory.look(at: []) { _ in true } == [Self.synth])
  }

  @Test func `A connection that JACK refuses again and again is given up`() {
    var memory = PortMemory()
    _ = memory.look(at: [Self.synth]) { _ in true }
    memory.clientWasOpened()
    var trials = 0
    while trials < 1000, !memory.look(at: [], isThere: { _ in true }).isEmpty { trials += 1 }
    #expect((2..<1000).contains(trials))
    #expect(memory.look(at: []) { _ in true } == [])
  }
}
